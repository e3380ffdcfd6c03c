import Foundation
import Synchronization
import Testing

/// Successive services on one socket and one store, under load: clients notice at most a pause.
@Suite(.blocking)
struct RollingRestartTests {
  private let writers = 4
  private let actionsEach = 60

  @Test func `clients of a rolling restart lose nothing and see nothing twice`() throws {
    let folder = try TemporaryFolder()
    let socket = try ListeningSocket()
    let store = "sqlite:\(folder["store.db"])"
    let start = {
      try socket.activate("--store", store, "--shutdown-grace", "120")
    }
    var current = try start()
    #expect(current.firstLine() != nil)
    let session = "/v1/reactors/counter/sessions/rolling"
    let acknowledged = Watched(0)
    let done = Watched<[String: String]>([:])
    let total = writers * actionsEach

    for writer in 0..<writers {
      Thread.detachNewThread { [actionsEach] in
        let outcome = Result {
          for number in 0..<actionsEach {
            try Self.post(socket.port, session, key: "w\(writer)-\(number)")
            acknowledged.change { $0 += 1 }
          }
        }
        done.change { $0["writer \(writer)"] = outcome.failureText }
      }
    }
    let versions = Watched<[Int]>([])
    Thread.detachNewThread {
      let outcome = Result {
        versions.change { [found = try Self.watch(socket.port, session, upTo: total)] in $0 = found
        }
      }
      done.change { $0["reader"] = outcome.failureText }
    }

    for restart in 1...3 {
      // Restart in the middle of the load.
      let isUnderWay = acknowledged.first(within: .seconds(1200)) { [total] in
        $0 >= total * restart / 5 ? true : nil
      }
      try #require(isUnderWay == true)
      let next = try start()
      current.signal(SIGTERM)
      #expect(try current.wait() == .code(0))
      current = next
    }

    let outcomes = done.first(within: .seconds(1200)) { [writers] in
      $0.count == writers + 1 ? $0 : nil
    }
    for (name, failure) in try #require(outcomes) { #expect(failure == "", "\(name)") }
    let state = try HTTPClient(port: socket.port).get(session + "/state")
    #expect(state.text == #"{"value":\#(total)}"#)
    #expect(versions.current == Array(0...total))
    current.signal(SIGTERM)
    #expect(try current.wait() == .code(0))
  }

  /// Sends an action with a key until it is acknowledged, as a client does for exactly one
  /// execution.
  private static func post(_ port: UInt16, _ session: String, key: String) throws {
    let deadline = ContinuousClock.now + .seconds(1200)
    while ContinuousClock.now < deadline {
      let client = HTTPClient(port: port)
      let response = try? client.send(
        "POST", session + "/actions", ["Idempotency-Key": key], json: #""increase""#,
        timeout: .seconds(30))
      switch response?.status {
      case 200: return
      // Unavailable (503), still running (409), or disconnected: the key makes a retry safe.
      case 503, 409, nil: usleep(5_000)
      case let status?: throw WireError.closed(within: "a POST with the status \(status)")
      }
    }
    throw WireError.timedOut(waitingFor: "an acknowledgement")
  }

  /// Reads every version, over several streams if necessary, as an EventSource does.
  private static func watch(_ port: UInt16, _ session: String, upTo last: Int) throws -> [Int] {
    let deadline = ContinuousClock.now + .seconds(1200)
    var versions: [Int] = []
    var cursor: String?
    while ContinuousClock.now < deadline {
      let headers = cursor.map { ["Last-Event-ID": $0] } ?? [:]
      let stream = try? EventStream(port: port, session + "/events?replay=all", headers)
      while let event = try? stream?.nextEvent(within: .seconds(30)) {
        guard let id = event.id, let version = event.cursor?.version else {
          if event.event == "reset" { throw WireError.closed(within: "a resumed stream") }
          continue
        }
        versions.append(version)
        cursor = id
        if version == last { return versions }
      }
      usleep(5_000)
    }
    throw WireError.timedOut(waitingFor: "version \(last), after \(versions.count)")
  }
}

extension Result where Failure == any Error {
  fileprivate var failureText: String {
    switch self {
    case .success: ""
    case .failure(let error): "\(error)"
    }
  }
}
