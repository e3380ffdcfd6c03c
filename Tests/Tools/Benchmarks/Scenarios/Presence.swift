import Foundation
import Glibc
import Synchronization

extension Scenario {
  /// Many subscribers that leave at the same time.
  ///
  /// An action must not be delayed by more than the duration of a fan-out. The longest response
  /// while they leave is compared with the 99th percentile of the time from an action to its
  /// receipt by the same number of streams.
  static var presence: Scenario {
    Scenario(
      name: "presence", summary: "5,000 subscribers of a session leave at once, beside its actions",
      isPartOfAll: false
    ) { bench in
      let contestant = Contestants(bench: bench).memory
      var (events, leaving, fanOuts): ([Double], [Double], [Double]) = ([], [], [])
      for _ in 0..<bench.rounds {
        let server = try contestant.start()
        defer { server.stop() }
        let watch = try PresenceWatch(server.port)
        var load = StreamLoad(bench)
        load.subscribers = 5000
        load.rate = 20
        load.seconds = 1
        fanOuts.append(try load.run(contestant, server).receipt.p99)
        load.rate = nil
        try watch.wait(for: 1)
        let posts = try PostTimes(server.port)
        try load.hold(contestant, server) { _ in
          try watch.wait(for: 5001)
          _ = posts.takeLongest()
        }
        try watch.wait(for: 1)
        leaving.append(posts.takeLongest() / .milliseconds(1))
        events.append(Double(watch.eventsBelow(5001)))
        posts.stop()
        watch.stop()
      }
      bench.report(
        Figure(
          load: "5,000 leave at once", contestant: contestant.name, unit: "presence events",
          value: Sample(events), aim: .atMost(1)))
      bench.report(
        Figure(
          load: "5,000 leave at once", contestant: contestant.name, unit: "ms, longest response",
          value: Sample(leaving),
          ratio: .init(to: "the fan-out", value: Sample(leaving, dividedBy: fanOuts)),
          aim: .atMost(1)))
    }
  }
}

private let sessionPath = "/v1/reactors/counter/sessions/0"

/// Reads the presence of the session over a stream of its own.
private final class PresenceWatch: Sendable {
  private let connection: LoopbackConnection
  private let counts = Mutex<[Int]>([])

  init(_ port: Int) throws {
    connection = try LoopbackConnection(port)
    connection.send(
      "GET \(sessionPath)/events?presence=true HTTP/1.1\r\nHost: localhost\r\n\r\n")
    Thread.detachNewThread { [self] in
      var text = ""
      while let more = connection.receive() {
        text += more
        while let end = text.range(of: "\n\n") {
          if let start = text.range(of: "event: presence\ndata: {\"count\":"),
            start.upperBound < end.lowerBound,
            let count = Int(text[start.upperBound...].prefix { $0.isNumber })
          {
            counts.withLock { $0.append(count) }
          }
          text.removeSubrange(..<end.upperBound)
        }
      }
    }
  }

  /// Waits until the latest presence event has a number of streams.
  func wait(for count: Int) throws {
    for _ in 0..<30_000 {
      if counts.withLock({ $0.last }) == count { return }
      usleep(1000)
    }
    throw BenchmarkError("no presence of \(count): \(counts.withLock { $0 })")
  }

  /// The number of presence events after the last one with a count.
  func eventsBelow(_ count: Int) -> Int {
    counts.withLock { counts in counts.reversed().prefix { $0 < count }.count }
  }

  func stop() { connection.shutDown() }
}

/// Posts actions one after the other, and records the longest response time.
private final class PostTimes: Sendable {
  private let connection: LoopbackConnection
  private let longest = Mutex(Duration.zero)

  init(_ port: Int) throws {
    connection = try LoopbackConnection(port)
    let body = #""increase""#
    let request = """
      POST \(sessionPath)/actions HTTP/1.1\r\nHost: localhost\r\nPrefer: return=minimal\r\n\
      Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)
      """
    Thread.detachNewThread { [self] in
      while true {
        let start = ContinuousClock.now
        connection.send(request)
        guard connection.receive() != nil else { return }
        let time = ContinuousClock.now - start
        longest.withLock { $0 = max($0, time) }
        // Wait until the fan-out of the action has ended.
        usleep(20_000)
      }
    }
  }

  /// Returns the longest response time since the last call.
  func takeLongest() -> Duration {
    longest.withLock { longest in
      defer { longest = .zero }
      return longest
    }
  }

  func stop() { connection.shutDown() }
}

/// A blocking connection to a server on this machine.
private final class LoopbackConnection: Sendable {
  private let descriptor: Int32

  init(_ port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard LoopbackPort.connect(descriptor, to: port) else {
      throw BenchmarkError("nothing listens on port \(port)")
    }
  }

  deinit { close(descriptor) }

  func send(_ text: String) {
    _ = text.utf8.withContiguousStorageIfAvailable {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
  }

  /// Returns the next bytes as text, or `nil` after the end.
  func receive() -> String? {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }

  func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
}
