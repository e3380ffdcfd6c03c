internal import MicrohttpdServer

/// Scans the bytes of one connection, with and without the replacement of repeated heads.
///
/// An input is a plan, a NUL byte, and up to four requests with a NUL byte between them. Each byte of the
/// plan sends one of the requests, so that a mutation of the plan repeats whole heads.
enum ConnectionFuzzing {
  /// A byte of the plan: `@`, `A`, `B` and `C` send a request as a part of its own.
  private struct Step {
    let bits: UInt8

    init(_ byte: UInt8) { bits = byte ^ UInt8(ascii: "@") }

    /// The number of the request.
    var choice: Int { Int(bits & 3) }

    /// Whether the next request begins in the same part.
    var isJoined: Bool { bits & 4 != 0 }

    /// The position at which the request is divided; 0 if it is not.
    var cut: Int { Int(bits >> 3) * Int(bits >> 3) }
  }

  /// The limit of a head, which inputs of libFuzzer can exceed.
  private static let headLimit = 2_000

  /// The maximum number of sent bytes per byte of the input, so that the cost of an input is
  /// linear.
  static let repetition = 4

  static func run(_ bytes: [UInt8]) {
    let parts = parts(of: bytes)
    var replacing = RequestScanner(headLimit: headLimit)
    var plain = RequestScanner(headLimit: headLimit)
    var (reader, plainReader) = (RequestReader(), RequestReader())
    for part in parts {
      var passed = part
      let count = passed.withUnsafeMutableBufferPointer {
        replacing.filter($0, replacingHead: true)
      }
      let accepted = part.prefix(part.withUnsafeBufferPointer { plain.scan($0) })
      require(replacing.violation == plain.violation, "a replaced head changes the violation")
      require((count == nil) == accepted.isEmpty, "rewriting decides on the connection")
      reader.receive(passed.prefix(count ?? 0), retainsHead: replacing.retainsHead)
      plainReader.receive(accepted, retainsHead: false)
    }
    require(reader.read == plainReader.read, "rewriting changes the requests")
    // Compare only the presence of a violation: if all bytes arrive in one part, the scanner can
    // find another violation of the same head first.
    var whole = RequestScanner(headLimit: headLimit)
    _ = Array(parts.joined()).withUnsafeBufferPointer { whole.scan($0) }
    require(
      (whole.violation == nil) == (plain.violation == nil), "the division decides on validity")
  }

  /// Scans the parts without checking postconditions.
  static func scanOnly(_ bytes: [UInt8]) {
    var scanner = RequestScanner(headLimit: headLimit)
    for var part in parts(of: bytes) {
      _ = part.withUnsafeMutableBufferPointer { scanner.filter($0, replacingHead: true) }
    }
  }

  /// The parts in which the bytes of the connection arrive.
  private static func parts(of bytes: [UInt8]) -> [[UInt8]] {
    let pieces = bytes.split(separator: 0, maxSplits: 4, omittingEmptySubsequences: false)
    guard let plan = pieces.first, pieces.count > 1 else { return [bytes] }
    var parts: [[UInt8]] = []
    var part: [UInt8] = []
    var remaining = repetition * bytes.count
    for step in plan.lazy.map(Step.init) {
      let request = pieces[1 + step.choice % (pieces.count - 1)]
      remaining -= request.count + 1
      guard remaining >= 0 else { break }
      if step.cut > 0 {
        parts.append(part + request.prefix(step.cut))
        part = []
      }
      part += request.dropFirst(step.cut)
      if !step.isJoined {
        parts.append(part)
        part = []
      }
    }
    return (parts + [part]).filter { !$0.isEmpty }
  }
}

/// Divides scanned bytes into requests, as the parser behind the scanner does, replaces each substitute by
/// the head that its connection retains, and ignores the extensions of chunks.
private struct RequestReader {
  private enum Position {
    case head, chunkSize, trailer
    case body(remaining: UInt64)
    /// In the data of a chunk, or in the line break after it.
    case chunk(remaining: UInt64)
  }

  /// The bytes of the client without the extensions of chunks, up to the first incomplete line.
  private(set) var read: [UInt8] = []
  private var unread: ArraySlice<UInt8> = []
  private var position = Position.head
  /// The same as `ConnectionSlot.head`.
  private var retained: [UInt8]?

  /// Receives bytes, and reads the requests as far as they are complete.
  ///
  /// - Parameters:
  ///   - bytes: The received bytes.
  ///   - retainsHead: Whether the scanner may replace the next head.
  mutating func receive(_ bytes: ArraySlice<UInt8>, retainsHead: Bool) {
    unread += bytes
    while !unread.isEmpty, readNext(retainsHead) {}
  }

  /// Reads the next head, line or body.
  ///
  /// - Returns: Whether it was complete.
  private mutating func readNext(_ retainsHead: Bool) -> Bool {
    switch position {
    case .head:
      // Empty lines may precede the request line.
      if unread.starts(with: "\r\n".utf8) {
        read += take(2)
        return true
      }
      guard let head = take(through: "\r\n\r\n") else { return false }
      readHead(head, retainsHead)
    case .body(let remaining):
      let rest = readBytes(remaining)
      position = rest > 0 ? .body(remaining: rest) : .head
    case .chunk(let remaining):
      let rest = readBytes(remaining)
      position = rest > 0 ? .chunk(remaining: rest) : .chunkSize
    case .chunkSize:
      guard let line = take(through: "\r\n") else { return false }
      let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "\r") }
      read += digits + Array("\r\n".utf8)
      let size = UInt64(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0
      position = size > 0 ? .chunk(remaining: size + 2) : .trailer
    case .trailer:
      guard let line = take(through: "\r\n") else { return false }
      read += line
      if line.count == 2 { position = .head }
    }
    return true
  }

  private mutating func readHead(_ head: [UInt8], _ retainsHead: Bool) {
    if head.contains(RepeatedHead.target) {
      guard let retained else { fatalError("a substitute without a former head") }
      read += retained
    } else {
      read += head
      retained = retainsHead ? head : nil
    }
    let body = Self.fields(of: head).lazy.compactMap { name, value -> Position? in
      switch name {
      case "content-length": .body(remaining: UInt64(value) ?? 0)
      case "transfer-encoding": .chunkSize
      default: nil
      }
    }
    position = body.first ?? .head
    if case .body(remaining: 0) = position { position = .head }
  }

  private static func fields(of head: [UInt8]) -> [(name: String, value: String)] {
    head.split(separator: UInt8(ascii: "\n")).dropFirst().map { line in
      let name = line.prefix { $0 != UInt8(ascii: ":") }
      let value = line.dropFirst(name.count + 1).filter { $0 > UInt8(ascii: " ") }
      return (
        String(decoding: name, as: UTF8.self).lowercased(), String(decoding: value, as: UTF8.self)
      )
    }
  }

  /// Reads bytes of a body, and returns the number of missing bytes.
  private mutating func readBytes(_ remaining: UInt64) -> UInt64 {
    let part = take(Int(min(remaining, UInt64(unread.count))))
    read += part
    return remaining - UInt64(part.count)
  }

  private mutating func take(_ count: Int) -> [UInt8] {
    defer { unread = unread.dropFirst(count) }
    return Array(unread.prefix(count))
  }

  private mutating func take(through mark: StaticString) -> [UInt8]? {
    let mark = Array("\(mark)".utf8)
    let start = unread.indices.first { unread[$0...].starts(with: mark) }
    return start.map { take($0 - unread.startIndex + mark.count) }
  }
}
