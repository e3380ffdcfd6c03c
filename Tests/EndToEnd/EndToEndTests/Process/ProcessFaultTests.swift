import Foundation
import Glibc
import Synchronization
import Testing

/// A supervisor that is killed, and a service that hangs.
@Suite(.blocking)
struct ProcessFaultTests {
  /// The number of kills; `make test-faults` sets a larger one.
  private static let rounds =
    ProcessInfo.processInfo.environment["FAULT_ROUNDS"].flatMap { Int($0) } ?? 10

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func start(
    _ flags: String..., environment: [String: String] = [:]
  ) throws -> ReactordProcess {
    try ReactordProcess(
      ["--store", "sqlite:" + folder["log.db"]] + flags, program: "faulty",
      environment: ["REACTORD_SUPERVISE": "true"].merging(environment) { $1 })
  }

  @Test(arguments: [false, true])
  func `a killed supervisor is followed by a start at the same address`(isLoaded: Bool) throws {
    let port = try ReservedPort()
    let flags = ["--listen", port.address, "--store", "sqlite:" + folder["log.db"]]
    var server = try ReactordProcess.launch(["serve"] + flags)
    for round in 0..<Self.rounds {
      let line = server.firstLine()
      try #require(line != nil, "round \(round): \(server.standardError)")
      let url = try #require(line?.split(separator: " ").last.flatMap { URL(string: String($0)) })
      let client = HTTPClient(port: UInt16(url.port ?? 0))
      let session = SessionClient(client, "/v1/reactors/counter/sessions/a")
      #expect(try session.post(#""increase""#).status == 200)
      let load = isLoaded ? Load(port: client.port) : nil
      load?.waitForResponses(20)
      // Do not wait for the end, neither of the supervisor nor of its service.
      server.kill()
      server = try ReactordProcess.launch(["serve"] + flags)
    }
    #expect(server.firstLine() != nil, "\(server.standardError)")
  }

  @Test func `a service whose supervisor has ended does not serve on its own`() throws {
    let process = try ReactordProcess.launch(
      ["serve", "--listen", "127.0.0.1:0", "--store", "memory"],
      environment: ["REACTORD_SUPERVISOR": "1,0,0,0"])
    #expect(try process.wait() == .code(1))
    #expect(process.standardOutput.isEmpty)
  }

  @Test func `a service that hangs does not delay the end beyond shutdown.grace`() throws {
    let server = try start("--shutdown-grace", "0.2")
    kill(try server.service(), SIGSTOP)
    server.process.signal(SIGTERM)
    #expect(try server.process.wait() == .code(1))
    #expect(server.standardError.contains("service has not ended and is killed"))
  }

  @Test func `a second signal ends a service that hangs`() throws {
    let server = try start("--shutdown-grace", "3600")
    kill(try server.service(), SIGSTOP)
    server.process.signal(SIGTERM)
    server.process.signal(SIGINT)
    #expect(try server.process.wait() == .code(1))
  }

  @Test func `a service that is stopped is replaced`() throws {
    // Longer than a busy disk stalls: a thread that waits for it does not respond either.
    let server = try start("--watchdog", "20")
    let first = try server.service()
    #expect(try server.session(of: "faulty").post(#"{"add":1}"#).status == 200)
    kill(first, SIGSTOP)
    #expect(
      eventually {
        server.standardError.contains(
          #"service does not respond and is killed limit="20.0 seconds""#)
      })
    #expect(eventually { server.standardError.contains("service restarted") })
    #expect(try server.service() != first)
    #expect(eventually { (try? server.client().get("/healthz").status) == 200 })
  }

  @Test func `an action that blocks a request thread is quarantined`() throws {
    // The supervisor kills a service whose crash report takes longer than that.
    let server = try start("--watchdog", "40", "--http-workers", "2")
    let session = server.session(of: "faulty")
    // Afterwards the session is in memory, and a request thread executes its actions.
    #expect(try session.post(#"{"add":1}"#).status == 200)
    // The thread that has loaded the session serves the requests that arrive until it has left the session,
    // and is not watched.
    for _ in 1...50 { #expect(try server.client().get("/readyz").status == 200) }
    #expect(throws: (any Error).self) { try session.post(#"{"block":{"seconds":3000}}"#) }
    let log = { server.standardError }
    #expect(eventually { log().contains("a thread does not respond; the process ends") })
    #expect(eventually { log().contains(#"service crashed signal=SIGABRT"#) })
    #expect(eventually { log().contains("action is quarantined reactor=faulty") })
    #expect(eventually { log().contains("FaultyReactor.mutate") })
    let again = SessionClient(server.client(), session.path)
    #expect(eventually { (try? again.post(#"{"add":1}"#).status) == 200 })
  }

  @Test(arguments: [
    (["--listen", "0.0.0.0:0"], 1), (["--listen", "[::]:0"], 1), ([], 0),
    (["--listen", "0.0.0.0:0", "--auth-rules", #"[{"allow":"read","anonymous":true}]"#], 0),
  ])
  func `a service that is open to all logs one warning`(_ flags: [String], _ count: Int) throws {
    let server = try ReactordProcess(flags, environment: ["REACTORD_SUPERVISE": "true"])
    try server.stop()
    let lines = server.standardError.split(separator: "\n")
    #expect(lines.count { $0.contains("the service is open to all that can connect") } == count)
  }
}

extension ReactordProcess {
  /// The process of a service that is supervised.
  func service() throws -> pid_t {
    let children = try String(
      contentsOfFile: "/proc/\(process.id)/task/\(process.id)/children", encoding: .utf8)
    return try #require(children.split(separator: " ").first.flatMap { pid_t($0) })
  }
}

/// Clients that send actions until their connections fail.
private final class Load: Sendable {
  private let responses = Watched(0)

  init(port: UInt16) {
    for index in 0..<8 {
      Thread.detachNewThread { [responses] in
        let session = SessionClient(
          HTTPClient(port: port), "/v1/reactors/counter/sessions/load-\(index)")
        while (try? session.post(#""increase""#).status) == 200 { responses.change { $0 += 1 } }
      }
    }
  }

  func waitForResponses(_ count: Int) {
    _ = responses.first(within: .seconds(60)) { $0 >= count ? () : nil }
  }
}
