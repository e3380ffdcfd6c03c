/// The value of `traceparent` (W3C Trace Context, level 1): the trace that a request belongs to.
struct TraceParent {
  /// The trace, as 32 hexadecimal digits.
  let trace: Substring
  private let flags: Substring

  /// Parses a field, or returns `nil` if it is invalid.
  init?(_ field: String) {
    let bytes = Array(field.utf8)
    guard bytes.count >= 55, bytes[2] == Self.dash, bytes[35] == Self.dash,
      bytes[52] == Self.dash
    else { return nil }
    let parts = [bytes[0..<2], bytes[3..<35], bytes[36..<52], bytes[53..<55]]
    guard parts.allSatisfy({ $0.allSatisfy(Self.isDigit) }) else { return nil }
    // Version 255 is invalid; versions after 0 may have more fields.
    let isFirstVersion = bytes[..<2].elementsEqual("00".utf8)
    guard !bytes[..<2].elementsEqual("ff".utf8),
      isFirstVersion ? bytes.count == 55 : bytes.count == 55 || bytes[55] == Self.dash,
      parts[1].contains(where: { $0 != Self.zero }), parts[2].contains(where: { $0 != Self.zero })
    else { return nil }
    trace = Substring(decoding: parts[1], as: UTF8.self)
    flags = Substring(decoding: parts[3], as: UTF8.self)
  }

  /// Returns the field for outgoing requests: the same trace with a new span.
  func child() -> String {
    let span = String(UInt64.random(in: 1 ... .max), radix: 16)
    let zeros = String(repeating: "0", count: 16 - span.utf8.count)
    return "00-\(trace)-\(zeros)\(span)-\(flags)"
  }

  private static let dash = UInt8(ascii: "-")
  private static let zero = UInt8(ascii: "0")

  private static func isDigit(_ byte: UInt8) -> Bool {
    (zero...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }
}
