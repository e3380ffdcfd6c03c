internal import Glibc

/// Checks the bytes of one connection against the syntax of HTTP/1.1 (RFC 9112) before libmicrohttpd
/// parses them.
///
/// libmicrohttpd 0.9.75 accepts bare LF, NUL, folded lines and fields without a name, and responds to
/// some errors twice; 1.0 accepts contradictory lengths. A proxy in front may read other requests in these bytes than the server does
/// (request smuggling). The scanner accepts only requests that both read alike:
///
/// - lines end with CRLF; a request line has two single spaces and the version HTTP/1.0 or HTTP/1.1,
/// - field names are tokens, directly before their colon; values have no control characters,
/// - one `Host` in HTTP/1.1, `Content-Length` in digits and without contradiction, `chunked` as the only
///   `Transfer-Encoding`, in HTTP/1.1 only and never beside `Content-Length`,
/// - chunks have a hexadecimal size and end with CRLF.
///
/// Pure, and independent of how the bytes are divided into reads.
package struct RequestScanner {
  /// Why a connection is rejected.
  package enum Violation: Int, Sendable {
    /// The request is not HTTP.
    case malformed = 400
    /// The head or the trailer does not fit into libmicrohttpd's memory.
    case headTooLarge = 431
    /// The major version is not 1.
    case unsupportedVersion = 505
  }

  private enum State {
    // The request line.
    case start, startLF, method, target, version, versionLF
    // The head, or the trailer of a chunked body.
    case lineStart, name, value, valueLF, endLF
    // The body.
    case body, chunkSize, chunkExtension, chunkSizeLF, chunkData, chunkDataCR, chunkDataLF
  }

  /// The memory that libmicrohttpd allocates for each field and each cookie, in addition to its
  /// bytes.
  private static let fieldOverhead = 64
  /// The longest line of a chunk's size and extensions, in bytes.
  private static let chunkLineLimit = 256

  /// The first violation; the connection is not read any further.
  package private(set) var violation: Violation?

  private let headLimit: Int
  private var state = State.start
  /// The memory that the head takes in libmicrohttpd.
  private var headSize = 0
  /// The position within the version or a chunk's line.
  private var position = 0
  private var framing = RequestFraming()
  private var field = FieldScanner()
  /// The number of bytes of the body or the chunk that have not arrived.
  private var remaining: UInt64 = 0
  private var isTrailer = false
  /// The last head that was received in one read; discarded when a different head begins.
  private var former = RepeatedHead()
  /// The index at which the head begins in the bytes that are scanned, or `nil` if it began before them.
  private var headStart: Int?
  /// The extensions of chunks in the bytes that were scanned last.
  private var extensions: [Range<Int>] = []

  /// Creates a scanner.
  ///
  /// - Parameter headLimit: The memory that libmicrohttpd has for a head.
  package init(headLimit: Int) {
    self.headLimit = headLimit
  }

  /// Whether a repetition of the last head can be replaced by a substitute.
  package var retainsHead: Bool { former.isRetained }

  /// Scans bytes that were received, and rewrites them for the parser.
  ///
  /// Removes the extensions of chunks, which a recipient has to ignore (RFC 9112, 7.1.1).
  ///
  /// - Parameters:
  ///   - bytes: The bytes; at least one.
  ///   - replacingHead: Whether to replace a repeated head at the beginning by its substitute.
  /// - Returns: The number of bytes that the parser may process, as in ``scan(_:)``, after the rewriting;
  ///   it is 0 if all bytes belong to an extension. `nil` if the parser may process none.
  package mutating func filter(
    _ bytes: UnsafeMutableBufferPointer<UInt8>, replacingHead: Bool
  ) -> Int? {
    let accepted: Int
    if replacingHead, state == .start, violation == nil,
      let (substitute, count) = unsafe former.replace(in: bytes)
    {
      headSize = former.size
      state = begin(former.body)
      accepted = unsafe scan(
        UnsafeBufferPointer(rebasing: bytes[..<count]), from: substitute)
    } else {
      accepted = unsafe scan(UnsafeBufferPointer(bytes))
    }
    guard accepted > 0 else { return nil }
    return extensions.isEmpty ? accepted : unsafe removeExtensions(from: bytes, upTo: accepted)
  }

  /// Removes the extensions from scanned bytes.
  ///
  /// - Returns: The number of bytes that remain.
  private func removeExtensions(
    from bytes: UnsafeMutableBufferPointer<UInt8>, upTo count: Int
  ) -> Int {
    guard let start = bytes.baseAddress else { return 0 }
    var (kept, read) = (0, 0)
    for removed in extensions + [count..<count] where removed.upperBound <= count {
      let length = removed.lowerBound - read
      unsafe memmove(start + kept, start + read, length)
      kept += length
      read = removed.upperBound
    }
    return kept
  }

  /// Scans bytes that were received.
  ///
  /// - Returns: The number of bytes that the parser may process: all of them; up to the end of the last
  ///   complete request if a later one is rejected; 0 if there is none.
  package mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    guard violation == nil else { return 0 }
    return unsafe scan(bytes, from: 0)
  }

  private mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var index = start
    var complete = state == .start ? start : 0
    headStart = nil
    if !extensions.isEmpty { extensions = [] }
    while index < bytes.count {
      switch state {
      case .body, .chunkData:
        let count = Int(min(remaining, UInt64(bytes.count - index)))
        remaining -= UInt64(count)
        index += count
        if remaining == 0 { state = state == .body ? endRequest() : .chunkDataCR }
      case .lineStart:
        let length = unsafe skipField(bytes, from: index)
        if length > 0 {
          headSize += length + Self.fieldOverhead
          index += length
        } else {
          unsafe state = next(bytes[index])
          index += 1
        }
      case .method, .target, .version, .name, .value:
        let start = index
        unsafe index = skipText(bytes, from: index)
        headSize += index - start
        if state == .target { position += index - start }
        fallthrough
      default:
        guard index < bytes.count else { break }
        if state == .start { beginHead(at: index) }
        if state == .endLF { unsafe retainHead(bytes, to: index + 1) }
        unsafe state = next(bytes[index])
        if state == .chunkExtension { addExtension(at: index) }
        index += 1
      }
      if headSize > headLimit { _ = reject(.headTooLarge) }
      guard violation == nil else { return complete }
      if state == .start { complete = index }
    }
    return bytes.count
  }

  /// Checks and skips a span of bytes that do not change the state, or a whole version.
  private mutating func skipText(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    switch state {
    case .method: return unsafe bytes.endOfToken(from: start)
    case .name:
      let end = unsafe bytes.endOfToken(from: start)
      unsafe field.appendToName(bytes, from: start, to: end)
      return end
    case .version: return unsafe skipVersion(bytes, from: start)
    // A target ends at a space, which a value may contain.
    case .target: return unsafe bytes.endOfText(from: start, lowest: 0x21)
    default: return field.isOrdinary ? unsafe bytes.endOfText(from: start, lowest: 0x20) : start
    }
  }

  /// Processes the whole line of a field, if the line has been received completely and is valid.
  ///
  /// This is the usual case. Byte by byte, the fields of a short request took three times the
  /// instructions.
  ///
  /// - Returns: The length of the line; 0 for any other line, which is processed byte by byte.
  private mutating func skipField(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    let colon = unsafe bytes.endOfToken(from: start)
    guard colon > start, colon < bytes.count, unsafe bytes[colon] == UInt8(ascii: ":") else {
      return 0
    }
    let end = unsafe bytes.endOfText(from: colon + 1, lowest: 0x20)
    guard end + 1 < bytes.count, unsafe bytes[end] == UInt8(ascii: "\r"),
      unsafe bytes[end + 1] == UInt8(ascii: "\n")
    else { return 0 }
    let length = end + 2 - start
    var field = unsafe FieldScanner(name: UnsafeBufferPointer(rebasing: bytes[start..<colon]))
    switch field.kind {
    case .other: return length
    // Byte by byte: the text of cookies also counts a second time against the limit of the head.
    case .cookie: return 0
    case .host: break
    case .contentLength, .transferEncoding:
      for index in colon + 1..<end {
        guard unsafe field.appendToValue(bytes[index]) else { return 0 }
      }
    }
    return isTrailer || framing.add(field) ? length : 0
  }

  /// Skips `HTTP/1.1` and the CR that follows, if at least one more byte has been received.
  private mutating func skipVersion(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    let current: StaticString = "HTTP/1.1\r"
    let length = current.utf8CodeUnitCount
    guard position == 0, bytes.count - start > length, let first = bytes.baseAddress,
      unsafe memcmp(first + start, current.utf8Start, length) == 0
    else { return start }
    state = .versionLF
    return start + length
  }

  /// Processes one byte and returns the next state.
  private mutating func next(_ byte: UInt8) -> State {
    switch state {
    case .start, .startLF, .method, .target, .version, .versionLF:
      headSize += 1
      return requestLine(byte)
    case .lineStart, .name, .value, .valueLF, .endLF:
      headSize += 1
      return fieldLine(byte)
    case .body, .chunkSize, .chunkExtension, .chunkSizeLF, .chunkData, .chunkDataCR, .chunkDataLF:
      return chunk(byte)
    }
  }

  private mutating func requestLine(_ byte: UInt8) -> State {
    switch state {
    case .start:
      // Empty lines before a request line are ignored (RFC 9112, 2.2).
      if byte == UInt8(ascii: "\r") { return .startLF }
      return byte.isToken ? .method : reject(.malformed)
    case .startLF: return expect(byte, UInt8(ascii: "\n"), then: .start)
    case .method:
      if byte == UInt8(ascii: " ") {
        position = 0
        return .target
      }
      return byte.isToken ? .method : reject(.malformed)
    case .target:
      // `skipText` has skipped the target: this is the space after it, or a control character.
      guard position > 0 else { return reject(.malformed) }
      position = 0
      return expect(byte, UInt8(ascii: " "), then: .version)
    case .version: return version(byte)
    default: return expect(byte, UInt8(ascii: "\n"), then: .lineStart)
    }
  }

  private mutating func version(_ byte: UInt8) -> State {
    defer { position += 1 }
    switch position {
    case 0: return expect(byte, UInt8(ascii: "H"), then: .version)
    case 1, 2: return expect(byte, UInt8(ascii: "T"), then: .version)
    case 3: return expect(byte, UInt8(ascii: "P"), then: .version)
    case 4: return expect(byte, UInt8(ascii: "/"), then: .version)
    case 6: return expect(byte, UInt8(ascii: "."), then: .version)
    case 5, 7:
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
        return reject(.malformed)
      }
      if position == 5, byte != UInt8(ascii: "1") { return reject(.unsupportedVersion) }
      if position == 7 { framing.isHTTP10 = byte == UInt8(ascii: "0") }
      return .version
    default: return expect(byte, UInt8(ascii: "\r"), then: .versionLF)
    }
  }

  private mutating func fieldLine(_ byte: UInt8) -> State {
    switch state {
    case .lineStart:
      if byte == UInt8(ascii: "\r") { return .endLF }
      headSize += Self.fieldOverhead
      field = FieldScanner()
      fallthrough
    case .name:
      if byte == UInt8(ascii: ":") {
        guard field.endName() else { return reject(.malformed) }
        return .value
      }
      guard byte.isToken else { return reject(.malformed) }
      field.appendToName(byte)
      return .name
    case .value:
      if byte == UInt8(ascii: "\r") { return .valueLF }
      guard byte.isFieldText, field.appendToValue(byte) else { return reject(.malformed) }
      // Count the bytes again, because libmicrohttpd copies each cookie.
      if field.kind == .cookie { headSize += byte == UInt8(ascii: ";") ? Self.fieldOverhead : 1 }
      return .value
    case .valueLF:
      guard byte == UInt8(ascii: "\n"), isTrailer || framing.add(field) else {
        return reject(.malformed)
      }
      return .lineStart
    default:
      guard byte == UInt8(ascii: "\n") else { return reject(.malformed) }
      return isTrailer ? endRequest() : endHead()
    }
  }

  private mutating func beginHead(at index: Int) {
    headStart = index
    former.discard()
  }

  /// Retains a head that was received in one read.
  ///
  /// It can still be rejected; in that case nothing is scanned after it.
  private mutating func retainHead(_ bytes: UnsafeBufferPointer<UInt8>, to end: Int) {
    guard let headStart, !isTrailer, !framing.isHTTP10 else { return }
    unsafe former.retain(bytes[headStart..<end], body: framing.body, size: headSize + 1)
  }

  private mutating func endHead() -> State { begin(framing.body) }

  /// The state after a head that a body follows.
  private mutating func begin(_ body: RequestFraming.Body) -> State {
    switch body {
    case .invalid: return reject(.malformed)
    case .length(0): return endRequest()
    case .length(let length):
      remaining = length
      return .body
    case .chunked:
      position = 0
      remaining = 0
      return .chunkSize
    }
  }

  /// Records a byte that belongs to the extensions of a chunk.
  private mutating func addExtension(at index: Int) {
    if let last = extensions.last, last.upperBound == index {
      extensions[extensions.count - 1] = last.lowerBound..<index + 1
    } else {
      extensions.append(index..<index + 1)
    }
  }

  private mutating func chunk(_ byte: UInt8) -> State {
    switch state {
    case .chunkSize, .chunkExtension:
      position += 1
      guard position <= Self.chunkLineLimit else { return reject(.malformed) }
      if byte == UInt8(ascii: "\r"), position > 1 { return .chunkSizeLF }
      if state == .chunkExtension { return byte.isFieldText ? state : reject(.malformed) }
      if byte == UInt8(ascii: ";"), position > 1 { return .chunkExtension }
      guard let digit = byte.hexadecimalDigit, remaining < 1 << 59 else {
        return reject(.malformed)
      }
      remaining = remaining << 4 | digit
      return .chunkSize
    case .chunkSizeLF:
      guard byte == UInt8(ascii: "\n") else { return reject(.malformed) }
      guard remaining == 0 else { return .chunkData }
      isTrailer = true
      return .lineStart
    case .chunkDataCR: return expect(byte, UInt8(ascii: "\r"), then: .chunkDataLF)
    default:
      position = 0
      return expect(byte, UInt8(ascii: "\n"), then: .chunkSize)
    }
  }

  private mutating func endRequest() -> State {
    headSize = 0
    framing = RequestFraming()
    isTrailer = false
    return .start
  }

  private mutating func expect(_ byte: UInt8, _ expected: UInt8, then next: State) -> State {
    byte == expected ? next : reject(.malformed)
  }

  private mutating func reject(_ violation: Violation) -> State {
    self.violation = self.violation ?? violation
    return state
  }
}
