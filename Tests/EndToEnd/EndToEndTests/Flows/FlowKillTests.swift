import Foundation
import Synchronization
import Testing

/// Dismissals and the mutations of their steps survive a kill at any moment, together and once.
@Suite(.blocking) struct FlowKillTests {
  /// The number of kills; `make test-faults` sets a larger one.
  private static let rounds =
    ProcessInfo.processInfo.environment["FAULT_ROUNDS"].flatMap { Int($0) } ?? 20
  private static let clients = 4
  private static let path = "/v1/reactors/order/sessions/killed"

  @Test func `every dismissal has the mutation of its step, once`() throws {
    let folder = try TemporaryFolder()
    let store = "sqlite:\(folder["log.db"])"
    for round in 0..<Self.rounds {
      let server = try ReactordProcess("--store", store)
      if round == 0 { try order(server) }
      let left = Atomic(Int.random(in: 1...200))
      let port = server.port
      _ = try concurrently(Self.clients) { client in
        Self.navigate(SessionClient(HTTPClient(port: port), Self.path), as: client) {
          if left.subtract(1, ordering: .relaxed).newValue == 0 { server.process.kill() }
        }
      }
      try server.process.wait()
    }
    let server = try ReactordProcess("--store", store)
    let session = SessionClient(server.client(), Self.path)
    let steps = try judge(try mutations(session))
    #expect(steps > 0)
    #expect(try session.state().json["abandoned"]?.int == steps)
  }

  /// Orders a drink, so that there is an order to check out.
  private func order(_ server: ReactordProcess) throws {
    let session = SessionClient(server.client(), Self.path)
    try session.post(#"{"stack":{"open":"/drinks/Latte"}}"#)
    let response = try session.post(#"{"stack":{"send":{"to":"2","action":{"drink":"add"}}}}"#)
    #expect(response.status == 200)
  }

  /// Presents and dismisses screens until the service ends.
  private static func navigate(
    _ session: SessionClient, as client: Int, acknowledged: () -> Void
  ) {
    while let presented = try? session.post(#""checkout""#) {
      acknowledged()
      let entries = (try? presented.json["stack"]?["entries"]?.array) ?? []
      // Clients also dismiss screens that other clients have presented.
      guard let id = entries.dropFirst().randomElement()?["id"]?.string else { continue }
      let action =
        client == 0 ? #"{"stack":{"open":"/"}}"# : #"{"stack":{"dismiss":"\#(id)"}}"#
      guard (try? session.post(action)) != nil else { return }
      acknowledged()
    }
  }

  private func mutations(_ session: SessionClient) throws -> [JSON] {
    var mutations: [JSON] = []
    var page: String? = session.path + "/log?after=0&limit=1000"
    while let path = page {
      let response = try session.client.get(path)
      mutations += (try response.json.array ?? []).compactMap { $0["mutation"] }
      page = response.nextPage
    }
    return mutations
  }

  /// Checks, from the log alone, that the step of each dismissed entry follows the dismissal.
  ///
  /// - Returns: The number of steps.
  private func judge(_ mutations: [JSON]) throws -> Int {
    var presented: [String: JSON] = [:]
    var (pending, steps) = (0, 0)
    for mutation in mutations {
      if mutation == "countAbandoned" {
        #expect(pending > 0, "a step without a dismissal")
        pending -= 1
        steps += 1
        continue
      }
      #expect(pending == 0, "a dismissal without its step")
      if let entry = mutation["stack"]?["present"], let id = entry["id"]?.string {
        #expect(presented.updateValue(entry["onDismissed"] ?? .null, forKey: id) == nil)
      }
      for entry in mutation["stack"]?["dismiss"]?["entries"]?.array ?? [] {
        let id = try #require(entry["id"]?.string)
        let removed = presented.removeValue(forKey: id)
        let step = try #require(removed, "\(id) is dismissed twice")
        #expect(step == entry["onDismissed"])
        if step != .null { pending += 1 }
      }
    }
    #expect(pending == 0, "a dismissal without its step")
    return steps
  }
}
