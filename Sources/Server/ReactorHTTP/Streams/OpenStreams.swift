internal import ReactorTransport
internal import Synchronization

/// The open streams whose credential can be replaced, by their ids.
final class OpenStreams: Sendable {
  private let streams = Mutex<[StreamID: GuardedStream]>([:])

  /// Adds a stream, until ``remove(_:)``.
  func add(_ stream: GuardedStream, _ id: StreamID) { streams.withLock { $0[id] = stream } }

  func remove(_ id: StreamID) { streams.withLock { $0[id] = nil } }

  /// Whether no stream is open.
  var isEmpty: Bool { streams.withLock { $0.isEmpty } }

  /// Returns the open stream with an id, or `nil` if there is none.
  subscript(id: StreamID) -> GuardedStream? { streams.withLock { $0[id] } }
}

/// The id of an open stream: 128 random bits, as 32 hexadecimal digits.
struct StreamID: Hashable, Sendable, CustomStringConvertible {
  private let high: UInt64
  private let low: UInt64

  /// Creates a random id.
  init() {
    (high, low) = (.random(in: .min ... .max), .random(in: .min ... .max))
  }

  /// Parses an id, or returns `nil` for another text.
  init?(_ text: String) {
    let digits = text.utf8
    guard digits.count == 32, digits.allSatisfy({ $0 != UInt8(ascii: "+") }),
      let high = UInt64(Substring(digits.prefix(16)), radix: 16),
      let low = UInt64(Substring(digits.dropFirst(16)), radix: 16)
    else { return nil }
    (self.high, self.low) = (high, low)
  }

  var description: String { Self.digits(high) + Self.digits(low) }

  private static func digits(_ number: UInt64) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 16 - text.utf8.count) + text
  }
}
