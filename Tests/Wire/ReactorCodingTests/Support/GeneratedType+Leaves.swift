import Foundation
import RandomJSON

struct Trio<First: GeneratedType, Second: GeneratedType, Third: GeneratedType>: GeneratedType {
  var first: First
  var second: Second
  var third: Third

  enum CodingKeys: String, CodingKey { case first, second = "2nd", third }

  static var members: [String] { ["first", "2nd", "third"] }

  static func random(_ random: inout JSONGenerator) -> Trio {
    Trio(first: .random(&random), second: .random(&random), third: .random(&random))
  }
}

enum Choice<First: GeneratedType, Second: GeneratedType>: GeneratedType {
  case nothing, one(First), both(First, other: Second)

  static func random(_ random: inout JSONGenerator) -> Choice {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: .nothing
    case 1: .one(.random(&random))
    default: .both(.random(&random), other: .random(&random))
    }
  }
}

/// A text that is checked when it is decoded.
struct Email: GeneratedType {
  var text: String

  init(_ text: String) { self.text = text }

  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
    guard text.contains("@") else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no address"))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  static func random(_ random: inout JSONGenerator) -> Email {
    Email("\(random.next())@example.org")
  }
}

/// A number that is checked when it is decoded.
struct Percentage: GeneratedType {
  var value: Int

  init(_ value: Int) { self.value = value }

  init(from decoder: any Decoder) throws {
    value = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .value)
    guard (1...100).contains(value) else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no percentage"))
    }
  }

  static func random(_ random: inout JSONGenerator) -> Percentage {
    Percentage(.random(in: 1...100, using: &random))
  }
}

/// An array that must have two elements.
struct Names: GeneratedType {
  var names: [String]

  init(_ names: [String]) { self.names = names }

  init(from decoder: any Decoder) throws {
    names = try decoder.singleValueContainer().decode([String].self)
    guard names.count > 1 else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "too few"))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(names)
  }

  static func random(_ random: inout JSONGenerator) -> Names { Names(["a", .random(&random)]) }
}

/// A text of which no placeholder is one.
struct Picky: GeneratedType {
  var text = "Picky/7731"

  init() {}

  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
    guard text == "Picky/7731" else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "not picky"))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  static func random(_ random: inout JSONGenerator) -> Picky { Picky() }
}

/// A struct that omits what it does not have.
struct Omitting: GeneratedType {
  var link: URL?
  var tags: [String] = []
  var count: Int?

  enum CodingKeys: CodingKey { case link, tags, count }

  init(link: URL?, tags: [String], count: Int?) {
    (self.link, self.tags, self.count) = (link, tags, count)
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    link = try container.decodeIfPresent(URL.self, forKey: .link)
    tags = try container.decodeIfPresent([String].self, forKey: .tags) ?? []
    if container.contains(.count) { count = try container.decode(Int.self, forKey: .count) }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    if let link { try container.encode(link, forKey: .link) }
    if !tags.isEmpty { try container.encode(tags, forKey: .tags) }
    if let count { try container.encode(count, forKey: .count) }
  }

  static var members: [String] { ["link", "tags", "count"] }

  static func random(_ random: inout JSONGenerator) -> Omitting {
    Omitting(link: .random(&random), tags: .random(&random), count: .random(&random))
  }
}

/// The keys of a dictionary that is an object.
enum Direction: String, CodingKeyRepresentable, GeneratedType {
  case north, south

  static func random(_ random: inout JSONGenerator) -> Direction {
    Bool.random(using: &random) ? .north : .south
  }
}

extension Bool: GeneratedType {
  static func random(_ random: inout JSONGenerator) -> Bool { .random(using: &random) }
}

extension Int: GeneratedType {
  static func random(_ random: inout JSONGenerator) -> Int { .random(in: -9...9, using: &random) }
}

extension UInt8: GeneratedType {
  static func random(_ random: inout JSONGenerator) -> UInt8 {
    .random(in: .min ... .max, using: &random)
  }
}

extension Int128: GeneratedType {
  static func random(_ random: inout JSONGenerator) -> Int128 {
    .random(in: .min ... .max, using: &random)
  }
}

extension Double: GeneratedType {
  static func random(_ random: inout JSONGenerator) -> Double {
    .random(in: -1e9...1e9, using: &random)
  }
}

extension String: GeneratedType {
  static func random(_ random: inout JSONGenerator) -> String {
    ["", "a", "ü \"", "_0"].randomElement(using: &random) ?? ""
  }
}

extension Date: GeneratedType {
  static func random(_ random: inout JSONGenerator) -> Date {
    Date(timeIntervalSinceReferenceDate: .random(in: -31e9...252e9, using: &random))
  }
}

extension URL: GeneratedType {
  static func random(_ random: inout JSONGenerator) -> URL {
    URL(fileURLWithPath: "/\(random.next())")
  }
}

extension Data: GeneratedType {
  static func random(_ random: inout JSONGenerator) -> Data { Data([UInt8].random(&random)) }
}

extension Decimal: GeneratedType {
  static func random(_ random: inout JSONGenerator) -> Decimal {
    Decimal(
      sign: Bool.random(using: &random) ? .plus : .minus,
      exponent: .random(in: -20...20, using: &random),
      significand: Decimal(random.next()))
  }
}

extension UUID: GeneratedType {
  static func random(_ random: inout JSONGenerator) -> UUID {
    UUID(uuid: unsafeBitCast((random.next(), random.next()), to: uuid_t.self))
  }
}

extension TimeZone: GeneratedType {
  static func random(_ random: inout JSONGenerator) -> TimeZone {
    TimeZone(secondsFromGMT: .random(in: -12...12, using: &random) * 3600) ?? .gmt
  }
}

extension Range<Int>: GeneratedType {
  static func random(_ random: inout JSONGenerator) -> Range<Int> { 0..<Int(UInt8.random(&random)) }
}

extension Duration: GeneratedType {
  static func random(_ random: inout JSONGenerator) -> Duration {
    .milliseconds(Int.random(in: -9_999_999...9_999_999, using: &random))
  }
}

extension DateInterval: GeneratedType {
  static func random(_ random: inout JSONGenerator) -> DateInterval {
    DateInterval(start: .random(&random), duration: Double(UInt8.random(&random)))
  }
}
