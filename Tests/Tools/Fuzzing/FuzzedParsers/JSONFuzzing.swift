internal import ReactorCoding

/// Parses and decodes arbitrary bytes as JSON.
enum JSONFuzzing {
  /// Parses a text, reads every value of a valid one, and checks that it round-trips.
  static func parse(_ bytes: [UInt8]) {
    let document: JSONDocument
    do {
      document = try JSONDocument(parsing: bytes)
    } catch {
      require((0...bytes.count).contains(error.offset), "the offset is inside the text")
      return
    }
    walk(document.root)
    checkChanges(of: bytes, document)
    let value = JSONValue(document.root)
    let written = value.bytes
    guard let again = try? JSONDocument(parsing: written) else {
      fatalError("the written text is not JSON")
    }
    require(JSONValue(again.root) == value, "a written value round-trips")
    require(again.root.bytes.count == written.count, "the value is the whole text")
  }

  /// Checks that a text with a changed byte is read beside the former text as it is without.
  private static func checkChanges(of bytes: [UInt8], _ document: JSONDocument) {
    for (place, byte) in zip([0, bytes.count / 3, bytes.count / 2, bytes.count - 1], "7\",[".utf8) {
      var text = bytes
      text[place] = byte
      let alone = (try? JSONDocument(parsing: text)).map { JSONValue($0.root) }
      let beside = (try? JSONDocument(parsing: text, after: document)).map { JSONValue($0.root) }
      require(alone == beside, "a former text changes nothing")
    }
  }

  /// Parses a text and copies its value.
  static func parseOnly(_ bytes: [UInt8]) {
    guard let document = try? JSONDocument(parsing: bytes) else { return }
    let value = JSONValue(document.root)
    _ = (value.bytes, value.hashValue, value.isEquivalent(to: value))
  }

  /// Decodes and encodes actions of every form.
  static func decodeOnly(_ bytes: [UInt8]) {
    recode(FuzzedAction.self, bytes)
    recode([FuzzedAction].self, bytes)
    recode([String: FuzzedAction?].self, bytes)
  }

  private static func recode<Value: Codable>(_ type: Value.Type, _ bytes: [UInt8]) {
    for strictness in [JSONCoder.Strictness.strict, .lenient] {
      // A lenient decoder reads only the log, which contains only texts that a strict decoder has
      // accepted.
      let isStored = strictness == .strict || (try? strictlyDecoded(type, bytes)) != nil
      guard isStored, let value = try? JSONCoder.decode(type, from: bytes, strictness: strictness)
      else { continue }
      _ = try? JSONCoder.encode(value)
    }
  }

  private static func strictlyDecoded<Value: Decodable>(
    _ type: Value.Type, _ bytes: [UInt8]
  ) throws -> Value {
    try JSONCoder.decode(type, from: bytes, strictness: .strict)
  }

  private static func walk(_ element: JSONElement) {
    require(element.offset >= 0, "a value is inside the text")
    _ = (element.bytes.count, element.boolean, element.isNull, element.string)
    if let number = element.number {
      _ = (number.integer(as: Int.self), number.integer(as: UInt8.self), number.double)
    }
    for (position, child) in (element.elements ?? []).enumerated() {
      require(element[position]?.offset == child.offset, "an element is found by its position")
      walk(child)
    }
    for member in element.members ?? [] {
      require(element[member.name] != nil, "a member is found by its name")
      walk(member.value)
    }
  }

  /// Decodes actions of every form and checks that they round-trip.
  static func decode(_ bytes: [UInt8]) {
    check(FuzzedAction.self, bytes)
    check([FuzzedAction].self, bytes)
    check([String: FuzzedAction?].self, bytes)
  }

  private static func check<Value: Codable & Equatable>(_ type: Value.Type, _ bytes: [UInt8]) {
    for strictness in [JSONCoder.Strictness.strict, .lenient] {
      let value: Value
      do {
        value = try JSONCoder.decode(type, from: bytes, strictness: strictness)
      } catch {
        continue
      }
      guard let written = try? JSONCoder.encode(value),
        let again = try? JSONCoder.decode(type, from: written, strictness: .strict)
      else { fatalError("a decoded value cannot be written and read") }
      require(again == value, "a decoded value round-trips")
    }
  }
}

/// One case of every form that the decoder distinguishes.
indirect enum FuzzedAction: Codable, Equatable {
  case plain
  case integer(Int)
  case small(Int8, UInt8, Int16)
  case wide(Int64, UInt64, UInt32)
  case fraction(Double)
  case rough(Float)
  case text(String)
  case flag(Bool)
  case labelled(x: Int, y: Int?)
  case mixed(String, by: Double)
  case maybe(String?)
  case list([Int])
  case table([String: [String]])
  case object(FuzzedObject)
  case nested(FuzzedAction)
  case nothing(FuzzedNothing)
}

/// A struct with the member types of a typical State.
struct FuzzedObject: Codable, Equatable {
  var name: String
  var count: Int?
  var parts: [FuzzedObject]?
  var kind: Kind?
  var letters: [Character.Kind]?

  enum Kind: String, Codable {
    case one, two
  }
}

extension Character {
  /// An enum with integer raw values.
  enum Kind: Int, Codable {
    case vowel = 1
    case consonant = 2
  }
}

/// A struct without members.
struct FuzzedNothing: Codable, Equatable {}
