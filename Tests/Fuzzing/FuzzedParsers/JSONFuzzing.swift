internal import ReactorCoding

/// Any bytes as JSON.
enum JSONFuzzing {
  /// Parses; what is JSON is read to its last value, and what was read is written and read again.
  static func parse(_ bytes: [UInt8]) {
    let document: JSONDocument
    do {
      document = try JSONDocument(parsing: bytes)
    } catch {
      require((0...bytes.count).contains(error.offset), "the offset is in the text")
      return
    }
    walk(document.root)
    let value = JSONValue(document.root)
    let written = value.bytes
    guard let again = try? JSONDocument(parsing: written) else {
      fatalError("what was written is no JSON")
    }
    require(JSONValue(again.root) == value, "what was written reads back")
    require(again.root.bytes.count == written.count, "nothing stands around what was written")
  }

  private static func walk(_ element: JSONElement) {
    require(element.offset >= 0, "a value stands in the text")
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

  /// Decodes as actions of every form; what is one is written and read again.
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
      else { fatalError("what was decoded cannot be written and read") }
      require(again == value, "what was decoded reads back")
    }
  }
}

/// One case of every form that a decoder has to tell apart.
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

/// A struct of what a State is made of.
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
  /// An enum with numbers behind it.
  enum Kind: Int, Codable {
    case vowel = 1
    case consonant = 2
  }
}

/// A struct without members.
struct FuzzedNothing: Codable, Equatable {}
