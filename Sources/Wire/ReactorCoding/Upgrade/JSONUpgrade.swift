/// Changes that convert the JSON of earlier releases, in the order of the releases.
///
/// ```swift
/// let upgrade: JSONUpgrade = [
///   .adding("labels", [], in: "put", "arrived"),       // release 2
///   .renaming("title", to: "name", in: "put"),         // release 3
///   .replacing(case: "remind") { old in ["remind": ["card": old["id"] ?? .null, "times": 1]] },
/// ]
/// ```
///
/// A path names a member: `labels`, or `card/labels` in an object inside it. `*` stands for every element
/// of an array and every member of an object. A path starts at the associated values of the cases that
/// follow `in:`, or, without cases, at the value itself. Names and paths that a value does not have
/// change nothing, so that JSON of the present release stays as it is.
///
/// The functions must be pure: they return the same result for the same JSON. They are called each time
/// the JSON is read, on any thread.
public struct JSONUpgrade: Sendable {
  private var steps: [@Sendable (JSONValue) throws -> JSONValue]
  /// Whether JSON that can be decoded is never converted.
  private var isForUndecodableOnly = false

  /// Converts values with a function.
  public static func converting(
    _ convert: @escaping @Sendable (JSONValue) throws -> JSONValue
  ) -> JSONUpgrade {
    JSONUpgrade(steps: [convert])
  }

  /// Converts the text of values that cannot be decoded as they are.
  package init(text convert: @escaping @Sendable (String) throws -> String) {
    steps = [
      { value in
        let converted = try convert(String(decoding: value.bytes, as: UTF8.self))
        return JSONValue(try JSONDocument(parsing: Array(converted.utf8)).root)
      }
    ]
    isForUndecodableOnly = true
  }

  private init(steps: [@Sendable (JSONValue) throws -> JSONValue]) {
    self.steps = steps
  }

  /// Returns the converted value.
  public func callAsFunction(_ value: JSONValue) throws -> JSONValue {
    try steps.reduce(value) { try $1($0) }
  }

  /// Returns the converted text.
  package func callAsFunction(_ json: [UInt8]) throws -> [UInt8] {
    try self(JSONValue(JSONDocument(parsing: json).root)).bytes
  }
}

extension JSONUpgrade: ExpressibleByArrayLiteral {
  /// Applies several changes in order.
  public init(arrayLiteral elements: JSONUpgrade...) {
    steps = elements.flatMap(\.steps)
  }
}

// MARK: Members

extension JSONUpgrade {
  /// Adds a member with a value to the associated values of `cases` where it is missing.
  public static func adding(
    _ path: String, _ value: JSONValue, in cases: String...
  ) -> JSONUpgrade {
    members(path, cases) { object, name in
      if object[name] == nil { object[name] = value }
    }
  }

  /// Adds a member where it is missing, with a value that depends on the object.
  public static func adding(
    _ path: String, in cases: String...,
    from value: @escaping @Sendable (_ object: JSONValue) throws -> JSONValue
  ) -> JSONUpgrade {
    members(path, cases) { object, name in
      if object[name] == nil { object[name] = try value(object) }
    }
  }

  /// Renames a member of an object that has none of the new name; `name` is no path.
  public static func renaming(
    _ path: String, to name: String, in cases: String...
  ) -> JSONUpgrade {
    members(path, cases) { object, old in
      guard case .object(var members) = object, object[name] == nil else { return }
      for index in members.indices where members[index].name.hasSameBytes(as: old) {
        members[index].name = name
      }
      object = .object(members)
    }
  }

  /// Removes a member.
  public static func removing(_ path: String, in cases: String...) -> JSONUpgrade {
    members(path, cases) { object, name in object[name] = nil }
  }

  /// Replaces a member's value, such as one of another type.
  ///
  /// The function also gets values of the present release, where another member of the JSON is old.
  public static func replacing(
    _ path: String, in cases: String...,
    with convert: @escaping @Sendable (JSONValue) throws -> JSONValue
  ) -> JSONUpgrade {
    values(path, cases) { $0 = try convert($0) }
  }

  private static func members(
    _ path: String, _ cases: [String],
    _ change: @escaping @Sendable (inout JSONValue, _ name: String) throws -> Void
  ) -> JSONUpgrade {
    let parts = path.split(separator: "/").map(String.init)
    let name = parts.last ?? ""
    return values(parts.dropLast().joined(separator: "/"), cases) { object in
      guard case .object = object else { return }
      try change(&object, name)
    }
  }

  private static func values(
    _ path: String, _ cases: [String],
    _ change: @escaping @Sendable (inout JSONValue) throws -> Void
  ) -> JSONUpgrade {
    let parts = path.split(separator: "/").map(String.init)
    return converting { value in
      var value = value
      guard !cases.isEmpty else {
        try value.change(at: parts[...], change)
        return value
      }
      for name in cases {
        // The payload of a case may be written in its longer form.
        let isLong = value[name]?.onlyMember(named: CaseShape.singleLabel) != nil
        let inner = isLong ? [CaseShape.singleLabel] : []
        try value.change(at: ([name] + inner + parts)[...], change)
      }
      return value
    }
  }
}

// MARK: Cases

extension JSONUpgrade {
  /// Renames a case.
  public static func renaming(case name: String, to new: String) -> JSONUpgrade {
    converting { value in
      if value == .string(name) { return .string(new) }
      return value.onlyMember(named: name).map { .object([.init(new, $0)]) } ?? value
    }
  }

  /// Replaces the values of a case, such as one that was removed or has other associated values.
  ///
  /// The function gets the JSON of the associated values, `null` without any, and returns the new value
  /// with its case.
  public static func replacing(
    case name: String, with convert: @escaping @Sendable (JSONValue) throws -> JSONValue
  ) -> JSONUpgrade {
    converting { value in
      if value == .string(name) { return try convert(.null) }
      guard let payload = value.onlyMember(named: name) else { return value }
      return try convert(payload.onlyMember(named: CaseShape.singleLabel) ?? payload)
    }
  }

  /// Replaces the values of a case by one value.
  public static func replacing(case name: String, with value: JSONValue) -> JSONUpgrade {
    replacing(case: name) { _ in value }
  }
}

extension JSONValue {
  /// The value of an object's only member, if that has a name.
  fileprivate func onlyMember(named name: String) -> JSONValue? {
    guard case .object(let members) = self, members.count == 1 else { return nil }
    return self[name]
  }

  /// Changes the values at a path; nothing where the path leads nowhere.
  fileprivate mutating func change(
    at path: ArraySlice<String>, _ change: (inout JSONValue) throws -> Void
  ) throws {
    guard let name = path.first else { return try change(&self) }
    let rest = path.dropFirst()
    switch self {
    case .array(var elements):
      for index in elements.indices where name == "*" || name == String(index) {
        try elements[index].change(at: rest, change)
      }
      self = .array(elements)
    case .object(var members):
      for index in members.indices where name == "*" || members[index].name.hasSameBytes(as: name) {
        try members[index].value.change(at: rest, change)
      }
      self = .object(members)
    default: return
    }
  }
}

// MARK: Stored values

extension JSONUpgrade {
  /// Decodes a stored value.
  ///
  /// A value that this release would write in the same way is not converted. Any other is, even if it can
  /// be decoded: a renamed member with a default would otherwise be lost. One that the upgrade rejects is
  /// decoded as it is.
  package func decode<Value: Codable>(
    _ type: Value.Type, from json: [UInt8], rootDefaults: JSONDocument? = nil
  ) throws -> Value {
    let asItIs = Result { try JSONCoder.decode(type, from: json, rootDefaults: rootDefaults) }
    if case .success(let value) = asItIs, isForUndecodableOnly || Self.writes(value, as: json) {
      return value
    }
    do {
      return try JSONCoder.decode(type, from: self(json), rootDefaults: rootDefaults)
    } catch {
      guard case .success(let value) = asItIs else { throw error }
      return value
    }
  }

  /// Whether the JSON of a value consists of the same bytes; sets have no order.
  private static func writes(_ value: some Encodable, as json: [UInt8]) -> Bool {
    guard let written = try? JSONCoder.encode(value), written.count == json.count else {
      return false
    }
    return written == json || histogram(of: written) == histogram(of: json)
  }

  private static func histogram(of bytes: [UInt8]) -> [Int] {
    bytes.reduce(into: Array(repeating: 0, count: 256)) { $0[Int($1)] += 1 }
  }
}
