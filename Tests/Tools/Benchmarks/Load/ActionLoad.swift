import Foundation
import Glibc

/// Actions one after the other, and streams that count their bytes and read them as they are.
struct ActionLoad {
  struct Outcome {
    /// The bytes of an event on the wire, the frame of HTTP included.
    let bytes: Double
    /// The processor time of the server per event and stream, in microseconds.
    let processorTime: Double
    /// The processor time of the server per action with its events, in milliseconds.
    let actionTime: Double
  }

  let server: ServerUnderTest
  let contestant: Contestant
  /// The actions before the measurement.
  let preparation: [String]
  /// Creates the next action.
  let action: () -> String

  func run(streams count: Int, actions: Int) throws -> Outcome {
    let client = try RequestConnection(port: server.port)
    func send(_ action: String) throws {
      let response = try client.send(
        "POST", contestant.actions, json: action, isMinimal: true)
      guard response.status == 204 else {
        throw BenchmarkError("\(response.status): \(response.body)")
      }
    }
    for action in preparation { try send(action) }
    let streams = try (0..<count).map { _ in try open() }
    defer { for stream in streams { close(stream) } }
    let before = server.processorTime
    var bytes = 0
    for _ in 0..<actions {
      try send(action())
      for stream in streams { bytes += try read(stream) }
    }
    let time = server.processorTime - before
    // The rest of events of several segments.
    for stream in streams { bytes += drain(stream) }
    let events = Double(count * actions)
    return Outcome(
      bytes: Double(bytes) / events, processorTime: time * 1_000_000 / events,
      actionTime: time * 1_000 / Double(actions))
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
