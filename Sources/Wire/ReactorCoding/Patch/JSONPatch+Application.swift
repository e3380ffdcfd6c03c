extension JSONPatch {
  /// Returns the result of applying the patch to a value.
  ///
  /// - Throws: The index of the first operation that cannot be applied, and why.
  public func applied(to value: JSONValue) throws(JSONPatchError) -> JSONValue {
    var patched = value
    for (index, operation) in operations.enumerated() {
      do throws(OperationError) {
        try operation.apply(to: &patched)
      } catch {
        throw JSONPatchError(operation: index, reason: error.reason)
      }
    }
    return patched
  }
}

extension JSONPatch.Operation {
  fileprivate func apply(to document: inout JSONValue) throws(JSONPatch.OperationError) {
    switch self {
    case .add(let path, let value): try document.add(value, at: path.tokens[...])
    case .remove(let path): _ = try document.remove(at: path.tokens[...])
    case .replace(let path, let value): try document.replace(at: path.tokens[...], by: value)
    case .copy(let source, let target):
      try document.add(try document.value(at: source.tokens[...]), at: target.tokens[...])
    case .move(let source, let target):
      // Moving a value onto itself has no effect; moving it into itself is an error (RFC 6902,
      // 4.4).
      let value = try document.value(at: source.tokens[...])
      guard source != target else { return }
      guard !target.starts(with: source) else {
        throw JSONPatch.OperationError(reason: "A value cannot be moved into itself.")
      }
      _ = try document.remove(at: source.tokens[...])
      try document.add(value, at: target.tokens[...])
    case .test(let path, let value):
      guard try document.value(at: path.tokens[...]).isEquivalent(to: value) else {
        throw JSONPatch.OperationError(reason: "The value is not the one that is tested for.")
      }
    }
  }
}

extension JSONValue {
  /// Whether two values are equal as JSON: numbers by value, members in any order (RFC 6902, 4.6).
  ///
  /// The last of several members with the same name counts.
  public func isEquivalent(to other: JSONValue) -> Bool {
    switch (self, other) {
    case (.array(let left), .array(let right)):
      return left.count == right.count && zip(left, right).allSatisfy { $0.isEquivalent(to: $1) }
    case (.object(let left), .object(let right)):
      let left = Dictionary(left.map { (UTF8Text($0.name), $0.value) }) { $1 }
      let right = Dictionary(right.map { (UTF8Text($0.name), $0.value) }) { $1 }
      guard left.count == right.count else { return false }
      return left.allSatisfy { name, value in
        right[name].map { value.isEquivalent(to: $0) } ?? false
      }
    default: return self == other
    }
  }

  fileprivate typealias Tokens = ArraySlice<String>

  fileprivate func value(at path: Tokens) throws(JSONPatch.OperationError) -> JSONValue {
    guard let token = path.first else { return self }
    switch self {
    case .object:
      guard let member = self[token] else { throw Self.missing }
      return try member.value(at: path.dropFirst())
    case .array(let elements):
      let position = try Self.position(token, in: elements)
      return try elements[position].value(at: path.dropFirst())
    default: throw Self.missing
    }
  }

  fileprivate mutating func add(_ value: JSONValue, at path: Tokens) throws(JSONPatch
    .OperationError)
  {
    guard let token = path.first else { return self = value }
    guard path.count == 1 else {
      return try descend(token) { (child) throws(JSONPatch.OperationError) in
        try child.add(value, at: path.dropFirst())
      }
    }
    switch self {
    case .object: self[token] = value
    case .array(var elements):
      let position = token.hasSameBytes(as: "-") ? elements.count : JSONPointer.position(token)
      guard let position, position <= elements.count else { throw Self.missing }
      elements.insert(value, at: position)
      self = .array(elements)
    default: throw Self.missing
    }
  }

  fileprivate mutating func replace(
    at path: Tokens, by value: JSONValue
  ) throws(JSONPatch.OperationError) {
    guard let token = path.first else { return self = value }
    try descend(token) { (child) throws(JSONPatch.OperationError) in
      try child.replace(at: path.dropFirst(), by: value)
    }
  }

  fileprivate mutating func remove(at path: Tokens) throws(JSONPatch.OperationError) -> JSONValue {
    guard let token = path.first else {
      throw JSONPatch.OperationError(reason: "The whole value cannot be removed.")
    }
    guard path.count == 1 else {
      var removed = JSONValue.null
      try descend(token) { (child) throws(JSONPatch.OperationError) in
        removed = try child.remove(at: path.dropFirst())
      }
      return removed
    }
    let removed = try value(at: path)
    switch self {
    case .array(var elements):
      elements.remove(at: try Self.position(token, in: elements))
      self = .array(elements)
    default: self[token] = nil
    }
    return removed
  }

  /// Modifies the value at a token, which must exist.
  private mutating func descend(
    _ token: String, _ change: (inout JSONValue) throws(JSONPatch.OperationError) -> Void
  ) throws(JSONPatch.OperationError) {
    switch self {
    case .object:
      guard var member = self[token] else { throw Self.missing }
      try change(&member)
      self[token] = member
    case .array(var elements):
      try change(&elements[try Self.position(token, in: elements)])
      self = .array(elements)
    default: throw Self.missing
    }
  }

  private static func position(
    _ token: String, in elements: [JSONValue]
  ) throws(JSONPatch.OperationError) -> Int {
    guard let position = JSONPointer.position(token), position < elements.count else {
      throw missing
    }
    return position
  }

  private static var missing: JSONPatch.OperationError {
    JSONPatch.OperationError(reason: "The value has nothing at this pointer.")
  }
}
