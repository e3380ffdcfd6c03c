import Foundation
import Glibc

extension Scenario {
  /// The time without responses after a reactor has trapped.
  ///
  /// Clients that connect during this time wait in the backlog of the supervisor's socket.
  static var recovery: Scenario {
    Scenario(
      name: "recovery", summary: "from an action that traps to the next response, supervised"
    ) { bench in
      let all = Contestants(bench: bench)
      for count in [1, 100_000] {
        let contestant = all.faulty
        let creating = try contestant.start()
        var load = StreamLoad(bench)
        load.sessions = count
        load.publishers = min(32, count)
        _ = try load.create(on: creating, of: contestant)
        creating.stop()
        let times = try (0..<bench.rounds).map { _ in
          let server = try all.startFaulty(isFresh: false)
          return try Outage(port: server.port).measure() / .milliseconds(1)
        }
        bench.report(
          Figure(
            load: "\(Double(count).legible) stored sessions", contestant: contestant.name,
            unit: "ms without a response", value: Sample(times), aim: .atMost(250)))
      }
    }
  }
}

extension Contestants {
  /// The daemon with reactors that trap, and with a data folder of its own.
  var faulty: Contestant {
    let session = "/v1/reactors/faulty/sessions/{session}"
    return Contestant(
      name: "reactord, sqlite", events: session + "/events", actions: session + "/actions"
    ) {
      try startFaulty(isFresh: true)
    }
  }

  /// Starts the daemon under a supervisor, on an empty store or on the store of the last start.
  func startFaulty(isFresh: Bool) throws -> ServerUnderTest {
    let data = bench.output.appending(path: "faulty")
    if isFresh { try? FileManager.default.removeItem(at: data) }
    return try ServerUnderTest(
      bench.programs.appending(path: "faulty"),
      [
        "serve", "--listen", "127.0.0.1:0", "--store", "sqlite:\(data.path)/log.db",
        "--log-level", "error", "--supervise", "true",
      ], readiness: .line)
  }
}

/// A crash of the service, as a client observes it.
private struct Outage {
  let port: Int

  /// Returns the time from sending an action that traps to the response to an action of another
  /// session, over a new connection.
  func measure() throws -> Duration {
    let other = "POST /v1/reactors/faulty/sessions/another/actions"
    guard try response(to: other, #"{"add":1}"#) else {
      throw BenchmarkError("the action got no response before the crash")
    }
    let start = ContinuousClock.now
    let path = "POST /v1/reactors/faulty/sessions/trap-\(Int.random(in: 0...1 << 40))/actions"
    guard try !response(to: path, #""trapInMutate""#) else {
      throw BenchmarkError("the action did not trap")
    }
    while try !response(to: other, #"{"add":1}"#) {}
    return .now - start
  }

  /// Sends a request over a new connection; returns whether its response was 200.
  private func response(to request: String, _ body: String) throws -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    guard LoopbackPort.connect(descriptor, to: port) else {
      throw BenchmarkError("the supervisor does not listen")
    }
    let bytes = Array(
      ("\(request) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n" + body).utf8)
    guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      return false
    }
    var head = [UInt8](repeating: 0, count: 12)
    let count = recv(descriptor, &head, head.count, Int32(MSG_WAITALL))
    return count == head.count && head.elementsEqual("HTTP/1.1 200".utf8)
  }
}
