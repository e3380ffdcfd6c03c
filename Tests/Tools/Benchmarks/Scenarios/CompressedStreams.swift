import Foundation
import Glibc

extension Scenario {
  /// The streams of one State of 6 KB, of which each action changes 100 bytes, with and without gzip.
  static var compressedStreams: Scenario {
    Scenario(
      name: "compressed-streams",
      summary: "5,000 streams of a State of 6 KB, of which 100 bytes change, with gzip and without"
    ) { bench in
      let contestants = [false, true].map { Contestants(bench: bench).room(isCompressed: $0) }
      let outcomes = try bench.inTurns(contestants) { contestant in
        try RoomLoad(server: contestant.start(), contestant: contestant).run(
          streams: 5_000, actions: 100)
      }
      let measures: [(unit: String, aim: Double, value: (RoomLoad.Outcome) -> Double)] = [
        ("bytes/event", 0.1, \.bytes), ("µs of CPU/event", 1.5, \.processorTime),
      ]
      for (unit, aim, value) in measures {
        let plain = (outcomes[contestants[0].name] ?? []).map(value)
        for (index, contestant) in contestants.enumerated() {
          let own = (outcomes[contestant.name] ?? []).map(value)
          bench.report(
            Figure(
              load: "5,000 streams of 6 KB", contestant: contestant.name, unit: unit,
              value: Sample(own),
              ratio: index == 0
                ? nil : .init(to: "without gzip", value: Sample(own, dividedBy: plain)),
              aim: index == 0 ? nil : .atMost(aim)))
        }
      }
    }
  }
}

extension Contestants {
  fileprivate func room(isCompressed: Bool) -> Contestant {
    let session = "/v1/reactors/chat/sessions/1"
    return Contestant(
      name: isCompressed ? "reactord, gzip" : "reactord, plain", events: session + "/events",
      actions: session + "/actions"
    ) { try startReactord(store: "memory") }
  }
}

/// Streams that count their bytes and read them as they are.
private struct RoomLoad {
  struct Outcome {
    /// The bytes of an event on the wire, the frame of HTTP included.
    let bytes: Double
    /// The processor time of the server per event and stream, in microseconds.
    let processorTime: Double
  }

  let server: ServerUnderTest
  let contestant: Contestant

  func run(streams count: Int, actions: Int) throws -> Outcome {
    let client = try RequestConnection(port: server.port)
    func send(_ action: String) throws {
      let response = try client.send("POST", contestant.actions, json: action)
      guard response.status == 200 else {
        throw BenchmarkError("\(response.status): \(response.body)")
      }
    }
    func message() -> String {
      // With its time and names, about 100 bytes of the State.
      #"{"send":{"from":"ada","text":"\#(UUID().uuidString)"}}"#
    }
    try send(#"{"join":"ada"}"#)
    for _ in 0..<60 { try send(message()) }
    let streams = try (0..<count).map { _ in try open() }
    defer { for stream in streams { close(stream) } }
    let before = server.processorTime
    var bytes = 0
    for _ in 0..<actions {
      try send(message())
      for stream in streams { bytes += try read(stream) }
    }
    let time = server.processorTime - before
    // The rest of events of several segments.
    for stream in streams { bytes += drain(stream) }
    let events = Double(count * actions)
    return Outcome(bytes: Double(bytes) / events, processorTime: time * 1_000_000 / events)
  }

  /// Opens a stream, and reads its beginning.
  private func open() throws -> Int32 {
    let stream = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard stream >= 0, LoopbackPort.connect(stream, to: server.port) else {
      throw BenchmarkError("a stream could not be opened")
    }
    let encoding = contestant.name.hasSuffix("gzip") ? "gzip" : "identity"
    let request = """
      GET \(contestant.events) HTTP/1.1\r
      Host: 127.0.0.1\r
      Accept-Encoding: \(encoding)\r
      \r

      """
    _ = request.withCString { Glibc.send(stream, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
    var text: [UInt8] = []
    repeat { try read(stream, into: &text) } while !Self.hasOpening(text)
    guard text.starts(with: "HTTP/1.1 200".utf8) else { throw BenchmarkError("no stream") }
    return stream
  }

  /// Whether the head and the first chunk have arrived.
  private static func hasOpening(_ text: [UInt8]) -> Bool {
    guard
      let end = text.indices.dropLast(3).first(where: { text[$0..<($0 + 4)] == [13, 10, 13, 10] }),
      let line = text[(end + 4)...].firstIndex(of: 13),
      let size = Int(String(decoding: text[(end + 4)..<line], as: UTF8.self), radix: 16)
    else { return false }
    return text.count >= line + 2 + size + 2
  }

  private func read(_ stream: Int32, into text: inout [UInt8]) throws {
    let count = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { space in
      let count = recv(stream, space.baseAddress, space.count, 0)
      if count > 0 { text += space[..<count] }
      return count
    }
    guard count > 0 else { throw BenchmarkError("a stream has ended") }
  }

  /// Reads the next bytes, and waits for them.
  private func read(_ stream: Int32) throws -> Int {
    let count = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { space in
      recv(stream, space.baseAddress, space.count, 0)
    }
    guard count > 0 else { throw BenchmarkError("a stream has ended") }
    return count
  }

  private func drain(_ stream: Int32) -> Int {
    withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { space in
      max(0, recv(stream, space.baseAddress, space.count, Int32(MSG_DONTWAIT)))
    }
  }
}
