import Foundation
import Testing

/// The stored failures of actions whose clients got 202, of timers and of sends: their list, "run again"
/// and removal, over a restart.
@Suite(.blocking) struct FailureEndpointTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func start() throws -> ReactordProcess {
    try ReactordProcess("--store", "sqlite:\(folder["log.db"])", program: "faulty")
  }

  private func kill(_ server: ReactordProcess) throws {
    server.process.kill()
    try server.process.wait()
  }

  private func session(_ name: String, _ server: ReactordProcess) -> SessionClient {
    let parts = name.split(separator: "/")
    return SessionClient(
      server.client(), "/v1/reactors/\(parts[0])/sessions/\(parts[1])")
  }

  /// The stored failures of both reactors, the latest first of each.
  private func failures(_ server: ReactordProcess) throws -> [JSON] {
    try ["booking", "purse"].flatMap { reactor in
      try #require(
        try server.client().get("/v1/reactors/\(reactor)/failures").json["failures"]?.array
      ).filter { $0["id"] != nil }
    }
  }

  private func address(_ failure: JSON?, _ server: ReactordProcess) throws -> String {
    let (failure, names) = (try #require(failure), ["own": "purse/own"])
    let id = try #require(failure["session"]?.string)
    let path = session(names[id] ?? "booking/\(id)", server).path
    return "\(path)/failures/\(try #require(failure["id"]?.string))"
  }

  /// Fails an action in each way in which no client gets the problem, and once as a response.
  private func fail(_ server: ReactordProcess) throws {
    let bad = #"{"hold":{"seats":[1],"hall":"bad id"}}"#
    let missing = #"{"hold":{"seats":[99],"hall":"h"}}"#
    #expect(try session("booking/b1", server).post(bad, ["Prefer": "respond-async"]).status == 202)
    // An effect that fails before the response was decided is a response, which is not stored.
    #expect(
      try eventually {
        try session("booking/b2", server).post(missing, ["Prefer": "wait=0"]).status == 202
      })
    #expect(try session("booking/b3", server).post(missing).status == 422)
    for (number, way) in ["afterCommit", "timer"].enumerated() {
      let pay = #"{"pay":{"_0":\#(number + 1),"amount":1,"to":"bad id","by":"\#(way)"}}"#
      #expect(try session("purse/own", server).post(pay).status == 200)
    }
    #expect(try eventually { try failures(server).count == 4 })
  }

  @Test func `failures outlive a kill, run again once, and are removed`() throws {
    var server = try start()
    try fail(server)
    let first = try failures(server)
    #expect(Set(first.compactMap { $0["status"]?.int }) == [400, 422])
    #expect(Set(first.compactMap { $0["session"]?.string }) == ["b1", "b2", "own"])
    try kill(server)
    server = try start()
    #expect(try failures(server) == first)
    // An action that fails again is a new failure, and its client gets the problem.
    let one = try address(first.first { $0["session"] == "b1" }, server)
    let again = try server.client().send("POST", one)
    #expect(again.status == 400)
    #expect(try again.json["type"] == "/problems/invalid-session-id")
    #expect(try server.client().send("POST", one).status == 404)
    let two = try address(first.first { $0["session"] == "b2" }, server)
    #expect(try server.client().send("POST", two, ["Prefer": "respond-async"]).status == 202)
    #expect(
      try eventually {
        let now = try failures(server)
        return now.count == 4 && !now.contains { $0["id"] == first[0]["id"] }
          && !now.contains { $0["id"] == first[1]["id"] }
      })
    // The transfers were refunded: their actions have nothing to do, and succeed.
    for failure in first where failure["session"] == "own" {
      #expect(try server.client().send("POST", try address(failure, server)).status == 200)
    }
    #expect(try session("purse/own", server).state().json["balance"] == 1_000_000)
    try kill(server)
    server = try start()
    let rest = try failures(server)
    #expect(Set(rest.compactMap { $0["session"]?.string }) == ["b1", "b2"] && rest.count == 2)
    for failure in rest {
      for _ in 1...2 {
        #expect(try server.client().send("DELETE", try address(failure, server)).status == 204)
      }
      #expect(try server.client().send("POST", try address(failure, server)).status == 404)
    }
    #expect(try failures(server).isEmpty)
    try kill(server)
    server = try start()
    #expect(try failures(server).isEmpty)
    for method in ["POST", "DELETE"] {
      let path = "/v1/reactors/purse/sessions/bad%20id/failures/x"
      #expect(try server.client().send(method, path).status == 400)
    }
  }

  @Test func `an action that succeeds when it runs again leaves no failure`() throws {
    var server = try start()
    let booking = SessionClient(server.client(), "/v1/reactors/booking/sessions/b")
    // The bank is not reachable: there is no file for its charges.
    #expect(try booking.post(#"{"hold":{"seats":[1],"hall":"h"}}"#).status == 200)
    #expect(
      try booking.post(#"{"pay":{"card":"visa"}}"#, ["Prefer": "respond-async"]).status == 202)
    #expect(try eventually { try failures(server).count == 1 })
    try kill(server)
    server = try ReactordProcess(
      ["--store", "sqlite:\(folder["log.db"])"], program: "faulty",
      environment: ["BANK_FILE": folder["bank"]])
    let response = try server.client().send("POST", try address(failures(server).first, server))
    #expect(response.status == 200)
    #expect(try response.json["phase"] == "paid")
    #expect(try failures(server).isEmpty)
    let charges = try String(contentsOfFile: folder["bank"], encoding: .utf8)
    #expect(charges.split(separator: "\n").count == 1 && charges.hasSuffix(" 30\n"))
    try server.stop()
  }
}
