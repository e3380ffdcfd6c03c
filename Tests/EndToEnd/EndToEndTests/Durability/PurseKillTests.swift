import Foundation
import Synchronization
import Testing

/// Money that sessions send to each other, to themselves and to texts that are no session ids, while sessions
/// are evicted and the process is killed at any moment: no amount is lost or doubled.
@Suite(.blocking) struct PurseKillTests {
  /// The number of kills; `make test-faults` sets it to 500.
  private static let rounds =
    ProcessInfo.processInfo.environment["FAULT_ROUNDS"].flatMap { Int($0) }.map { $0 * 5 / 2 } ?? 10
  /// The number of kills between two checks: an action that is interrupted ten times is given up.
  private static let killsPerCheck = 5
  private static let purses = 4
  private static let start = 1_000_000
  private static let odd = ["bad id", "", "..", String(repeating: "x", count: 5_000)]
  private static let ways = ["send", "sendOnly", "named", "observe", "afterCommit", "timer"]

  /// A client of a purse, which repeats each transfer until it has the response.
  private struct Client: Sendable {
    /// The number of the last transfer.
    var number = 0
    /// The transfer whose response is missing.
    var pending: String?
    var statuses: [Int: Int] = [:]

    mutating func next() -> String {
      if let pending { return pending }
      number += 1
      let isOdd = Int.random(in: 0..<5) == 0
      let target =
        isOdd
        ? PurseKillTests.odd.randomElement() ?? ""
        : "purse-\(Int.random(in: 0..<PurseKillTests.purses))"
      let way = PurseKillTests.ways.randomElement() ?? ""
      let body =
        #"{"pay":{"_0":\#(number),"amount":\#(Int.random(in: 1...9)),"to":"\#(target)","by":"\#(way)"}}"#
      pending = body
      return body
    }
  }

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func serve(_ store: [String]) throws -> ReactordProcess {
    try ReactordProcess(
      store + ["--changes-keep", "3600", "--sessions-idle", "0.3"], program: "faulty")
  }

  private func purse(_ index: Int, _ server: ReactordProcess) -> SessionClient {
    SessionClient(server.client(), "/v1/reactors/purse/sessions/purse-\(index)")
  }

  @Test(arguments: StoreKind.durable)
  func `the sum of all purses is exact after each kill`(kind: StoreKind) throws {
    let store = try kind.flags("log", in: folder)
    var clients = Array(repeating: Client(), count: Self.purses)
    for round in 0..<Self.rounds {
      let server = try serve(store)
      if round % Self.killsPerCheck == 0 { try check(&clients, server) }
      let left = Atomic(Int.random(in: 1...60))
      clients = try concurrently(Self.purses) { [clients] index in
        var client = clients[index]
        while Self.send(&client, to: purse(index, server)) {
          if left.subtract(1, ordering: .relaxed).newValue == 0 { server.process.kill() }
          // Pauses of this length let the session leave memory.
          if Int.random(in: 0..<20) == 0 { usleep(500_000) }
        }
        return client
      }
      try server.process.wait()
    }
    let server = try serve(store)
    try check(&clients, server)
    let changes = try transferCount(server)
    try server.stop()
    let statuses = clients.reduce(into: [Int: Int]()) { $0.merge($1.statuses, uniquingKeysWith: +) }
    #expect(Set(statuses.keys).isSubset(of: [200, 400]), "\(statuses)")
    printNow(
      "purses, \(kind): \(Self.rounds) kills, \(clients.map(\.number).reduce(0, +)) transfers, \(changes) changes, "
        + "responses \(statuses)")
  }

  /// Sends the next transfer; returns `false` after the end of the process.
  private static func send(_ client: inout Client, to purse: SessionClient) -> Bool {
    let body = client.next()
    guard
      let response = try? purse.post(body, ["Idempotency-Key": "\"\(client.number)\""])
    else { return false }
    client.statuses[response.status, default: 0] += 1
    client.pending = nil
    return true
  }

  /// Waits until each transfer has arrived or has been refunded, and compares the sums.
  private func check(_ clients: inout [Client], _ server: ReactordProcess) throws {
    for index in clients.indices where clients[index].pending != nil {
      let isSent = Self.send(&clients[index], to: purse(index, server))
      #expect(isSent)
    }
    let areComplete = try eventually {
      try clients.enumerated().allSatisfy { index, client in
        let state = try purse(index, server).state().json
        return client.number == (state["completed"]?.int ?? 0) + (state["refunded"]?.int ?? 0)
      }
    }
    #expect(areComplete, "transfers are open")
    // Read all purses after the last transfer has ended.
    var (balance, completed, received) = (0, 0, 0)
    for index in clients.indices {
      let state = try purse(index, server).state().json
      balance += state["balance"]?.int ?? 0
      completed += state["completed"]?.int ?? 0
      received += state["received"]?.int ?? 0
    }
    #expect(balance == Self.purses * Self.start)
    #expect(completed == received)
  }

  /// Reads all changes, and the list of the sessions.
  ///
  /// - Returns: The number of changes.
  private func transferCount(_ server: ReactordProcess) throws -> Int {
    var count = 0
    var page: String? = "/v1/changes?after=0&limit=1000"
    while let path = page {
      let response = try server.client().get(path)
      try #require(response.status == 200)
      let changes = try response.json.array ?? []
      #expect(changes.allSatisfy { $0["kind"] != "damaged" })
      count += changes.count
      page = response.nextPage
    }
    let list = try server.client().get("/v1/reactors/purse/sessions").json["sessions"]?.array
    #expect(list?.count == Self.purses)
    return count
  }
}
