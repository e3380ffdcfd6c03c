#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The types of Foundation that have another JSON than their own `Codable` conformances write.
///
/// The own forms are those of a property list: seconds since 2001, an object with the parts of a URL,
/// an array of bytes, the words of a mantissa. The forms here are those that other languages read.
enum FoundationValue {
  /// `Date` as text of RFC 3339.
  case date
  /// `URL` as its text.
  case url
  /// `Data` as Base64.
  case data
  /// `Decimal` as a number with all its digits.
  case decimal

  /// The form of a type, or `nil` if the type writes its JSON itself.
  ///
  /// Runs per nested value: comparing four addresses takes less than a nanosecond.
  @inline(__always)
  init?<Value>(_ type: Value.Type) {
    if type == Date.self {
      self = .date
    } else if type == URL.self {
      self = .url
    } else if type == Data.self {
      self = .data
    } else if type == Decimal.self {
      self = .decimal
    } else {
      return nil
    }
  }

  /// The advice for a text that is not in the form.
  var advice: String {
    switch self {
    case .date: "This is no time of RFC 3339; write one like 2026-11-20T20:43:00.123Z."
    case .url: "This is no URL; write one like https://example.org/path."
    case .data: "This is no Base64; write the bytes in the alphabet of RFC 4648, with padding."
    case .decimal:
      "This is no decimal number, or has too many digits; write a number of at most 38 digits."
    }
  }

  /// Appends the JSON of a value, which needs no escapes beyond those of a string.
  ///
  /// - Returns: The number that JSON cannot express, which is not finite, or `nil` after a success.
  static func append<Value>(_ value: Value, to bytes: inout [UInt8]) -> Double? {
    if let value = identical(value, to: Date.self) {
      let seconds = value.timeIntervalSinceReferenceDate
      guard seconds.isFinite else { return seconds }
      // The seconds have no fraction, and the year has no calendar.
      guard seconds.magnitude < 0x1p53 else {
        bytes.appendJSON(seconds)
        return nil
      }
      bytes.append(ASCII.quote)
      TimeText.append(seconds, to: &bytes)
      bytes.append(ASCII.quote)
    } else if let value = identical(value, to: URL.self) {
      bytes.appendJSON(value.absoluteString)
    } else if let value = identical(value, to: Data.self) {
      bytes.appendJSON(value.base64EncodedString())
    } else if let value = identical(value, to: Decimal.self) {
      guard value.isFinite else { return .nan }
      bytes += JSONNumberParts(value.description.utf8.span).plainText
    }
    return nil
  }

  /// Returns the value of a text, or `nil` if the text is not in the form.
  func value<Value>(of text: String, as type: Value.Type) -> Value? {
    switch self {
    case .date:
      TimeText.seconds(text).flatMap {
        identical(Date(timeIntervalSinceReferenceDate: $0), to: type)
      }
    case .url: URL(string: text).flatMap { identical($0, to: type) }
    case .data: Data(base64Encoded: text).flatMap { identical($0, to: type) }
    case .decimal:
      if let root = try? JSONDocument(parsing: Array(text.utf8)).root, root.kind == .number,
        root.bytes.count == text.utf8.count
      {
        Self.decimal(root.bytes).flatMap { identical($0, to: type) }
      } else {
        nil
      }
    }
  }

  /// Returns the value of a number, or `nil` if the type cannot represent all digits.
  static func decimal<Value>(_ number: ArraySlice<UInt8>, as type: Value.Type) -> Value? {
    decimal(number).flatMap { identical($0, to: type) }
  }

  private static func decimal(_ number: ArraySlice<UInt8>) -> Decimal? {
    let parts = JSONNumberParts(number.span)
    guard parts.digits.count < 40, (-128...166).contains(parts.exponent),
      let value = Decimal(string: parts.scientificText), value.isFinite
    else { return nil }
    // Foundation rounds what does not fit.
    let exact = JSONNumberParts(value.description.utf8.span)
    return exact.digits == parts.digits && exact.exponent == parts.exponent ? value : nil
  }
}

extension FoundationValue {
  /// The schema of a type of Foundation and a value made of a text, a number and bytes, or `nil`
  /// for other types.
  static func schema<Value>(
    of type: Value.Type, text: String, number: Int, bytes: [UInt8]
  ) -> (JSONValue, Value)? {
    let found: (schema: JSONValue, value: Any)? =
      switch type {
      case is Date.Type:
        (
          ["type": "string", "format": "date-time"],
          Date(timeIntervalSinceReferenceDate: Double(number))
        )
      case is URL.Type:
        URL(string: text.contains("://") ? text : "about:blank").map {
          (["type": "string", "format": "uri"], $0)
        }
      case is Data.Type:
        (["type": "string", "contentEncoding": "base64"], Data(bytes))
      case is Decimal.Type: (["type": "number"], Decimal(number))
      case is UUID.Type:
        (
          ["type": "string", "format": "uuid"],
          UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        )
      default: nil
      }
    guard let found, let value = found.value as? Value else { return nil }
    return (found.schema, value)
  }
}

extension JSONNumberParts {
  /// The number without an exponent.
  fileprivate var plainText: [UInt8] {
    let text = digits.map { ASCII.zero + $0 }
    let point = text.count + exponent
    func zeros(_ count: Int) -> [UInt8] { Array(repeating: ASCII.zero, count: max(0, count)) }
    let whole = point > 0 ? text.prefix(point) + zeros(exponent) : [ASCII.zero]
    let decimals = exponent < 0 ? [ASCII.dot] + zeros(-point) + text.dropFirst(max(0, point)) : []
    return (isNegative && !text.isEmpty ? [ASCII.minus] : []) + whole + decimals
  }

  /// The digits as an integer with an exponent.
  fileprivate var scientificText: String {
    let text = digits.isEmpty ? [ASCII.zero] : digits.map { ASCII.zero + $0 }
    return (isNegative ? "-" : "") + String(decoding: text, as: UTF8.self) + "e\(exponent)"
  }
}
