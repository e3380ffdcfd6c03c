internal import ReactorCoding
internal import ReactorCore

/// Folds a mutation a second time: by a new instance, from a State that went through its JSON.
///
/// The result equals the first one if `reduce` is pure, if it reads only what the State encodes, and if
/// the JSON of each type is a function of its value.
struct SecondFold<R: Reactor>
where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
  let make: () throws -> R

  /// Compares the initial State of a new instance.
  func impurity(ofInitial state: R.State) throws -> Impurity? {
    let other = try make().initialState
    return difference(
      try JSONCoder.encode(state), try JSONCoder.encode(other), in: state, at: 0
    ) { _ in .initialState }
  }

  /// Folds a mutation again, and finds what makes the result differ.
  ///
  /// - Parameters:
  ///   - version: The version of the result.
  ///   - state: The State before the mutation.
  ///   - mutation: The mutation.
  ///   - text: The JSON of the mutation.
  ///   - first: The State that the first fold has returned.
  /// - Returns: The difference, or `nil` if there is none.
  /// - Throws: If a State cannot be encoded.
  func impurity(
    at version: Int, from state: R.State, by mutation: R.Mutation, text: [UInt8], to first: R.State
  ) throws -> Impurity? {
    do {
      let other = try JSONCoder.decode(R.Mutation.self, from: text)
      return try difference(at: version, from: state, by: mutation, again: other, to: first)
    } catch let error as JSONDecodingFailure {
      return undecodable(text, error, at: version)
    }
  }

  /// Describes a value that does not decode from its own JSON.
  func undecodable(
    _ json: [UInt8], _ error: JSONDecodingFailure, at version: Int
  ) -> Impurity {
    Impurity(
      version: version, .decoding, at: error.pointer, String(decoding: json, as: UTF8.self),
      error.detail)
  }

  /// Compares as ``impurity(at:from:by:text:to:)`` does, with a second instance of the mutation.
  func difference(
    at version: Int, from state: R.State, by mutation: R.Mutation, again other: R.Mutation,
    to first: R.State
  ) throws -> Impurity? {
    let json = try JSONCoder.encode(state)
    let read: R.State
    do {
      read = try decode(json)
    } catch {
      return undecodable(json, error, at: version)
    }
    let result = try JSONCoder.encode(first)
    let second = try fold(read, other)
    guard result != second else { return nil }
    for (value, text) in [(read as R.State?, json), (try? decode(result), result)] {
      guard let value else { continue }
      let found = difference(text, try JSONCoder.encode(value), in: value, at: version) {
        .encoding(type: TypePath.type(at: $0, in: value))
      }
      if let found { return found }
    }
    let isHidden = try fold(state, mutation) == result
    return difference(result, second, in: first, at: version) { _ in
      isHidden ? .unencoded : .reduce
    }
  }

  /// Decodes a State from its own JSON.
  func decode(_ json: [UInt8]) throws(JSONDecodingFailure) -> R.State {
    do {
      return try JSONCoder.decode(R.State.self, from: json)
    } catch let error as JSONDecodingFailure {
      throw error
    } catch {
      throw JSONDecodingFailure(pointer: "", expected: [], detail: "\(error)")
    }
  }

  /// Folds a mutation by a new instance, and returns the JSON of the result.
  func fold(_ state: R.State, _ mutation: R.Mutation) throws -> [UInt8] {
    try FoldingInstance<R>.withoutRequest {
      try JSONCoder.encode(FoldingInstance(try make()).reduce(state, mutation))
    }
  }

  /// Describes the first difference between two texts of a State, or returns `nil` if they are equal.
  func difference(
    _ first: [UInt8], _ second: [UInt8], in state: R.State, at version: Int,
    _ cause: (JSONPointer) -> Impurity.Cause
  ) -> Impurity? {
    guard let place = JSONDifference.first(between: first, and: second) else { return nil }
    func text(_ bytes: [UInt8]?) -> String {
      bytes.map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
    }
    return Impurity(
      version: version, cause(place.pointer), at: "\(place.pointer)", text(place.first),
      text(place.second))
  }
}

/// Finds the Swift type of a value inside another value.
enum TypePath {
  /// Returns the innermost type around a pointer that is not one of the standard library.
  ///
  /// Members whose names in JSON differ from those in Swift end the search.
  static func type(at pointer: JSONPointer, in value: Any) -> String {
    var value = value
    var name = String(reflecting: Swift.type(of: value))
    for token in pointer.tokens {
      guard let inner = child(token, of: value) else { break }
      value = inner
      let type = String(reflecting: Swift.type(of: value))
      if !type.hasPrefix("Swift.") { name = type }
    }
    return name
  }

  private static func child(_ token: String, of value: Any) -> Any? {
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional: return mirror.children.first.flatMap { child(token, of: $0.value) }
    case .collection, .set:
      return Int(token).flatMap { mirror.children.dropFirst($0).first?.value }
    case .dictionary:
      let pairs = mirror.children.compactMap { $0.value as? (key: AnyHashable, value: Any) }
      return (pairs.first { "\($0.key)" == token } ?? pairs.first)?.value
    default:
      return mirror.children.first { $0.label == token || $0.label == "_" + token }?.value
    }
  }
}
