internal import Synchronization

/// A value of an action that reaches `mutate` and is not stored, such as a password.
///
/// ```swift
/// enum Action: Codable {
///   case signIn(Credentials)
///   case signOut
///
///   struct Credentials: Codable {
///     var name: String
///     @Private var password: String
///   }
/// }
/// ```
///
/// As an associated value it is written without the attribute: `case unlock(pin: Private<String>)`.
///
/// A client sends the plain value. The log, the lists of effects and failures, the change feed, pages and the
/// lines of the service's log have a marker in its place, `{"private":0}`; its number is the position among the
/// private values of the action. Only the journal of an accepted action has the value, from the first turn in which
/// the action has not ended until it ends. A host rejects a reactor with a private value in its State, mutations or
/// parameters, and a timer whose action has one. The description of the value for `print` and debuggers is `private`.
///
/// Outside of a host, a value is encoded within ``PrivateValues/included(_:)`` only.
@propertyWrapper
public struct Private<Value: Codable & Sendable>: Codable, Sendable {
  /// The value.
  public var wrappedValue: Value

  /// Creates a private value.
  public init(wrappedValue: Value) {
    self.wrappedValue = wrappedValue
  }

  /// Reads the plain value; for an action of the journal, the value that the journal has for the marker.
  public init(from decoder: any Decoder) throws {
    if case .separated(let values)? = PrivateValues.form,
      let marker = try? decoder.container(keyedBy: MarkerKey.self),
      let index = try? marker.decode(Int.self, forKey: .private)
    {
      wrappedValue = try values.value(at: index, in: decoder)
    } else {
      wrappedValue = try decoder.singleValueContainer().decode(Value.self)
    }
  }

  /// Writes the plain value within ``PrivateValues/included(_:)``.
  ///
  /// - Throws: Otherwise, since what is encoded may be stored.
  public func encode(to encoder: any Encoder) throws {
    switch PrivateValues.form {
    case .included:
      var container = encoder.singleValueContainer()
      try container.encode(wrappedValue)
    case .separated(let values):
      let index = try values.add(wrappedValue)
      var container = encoder.container(keyedBy: MarkerKey.self)
      try container.encode(index, forKey: .private)
    case nil: throw PrivateValueError()
    }
  }
}

extension Private: Equatable where Value: Equatable {}
extension Private: Hashable where Value: Hashable {}

extension Private: CustomStringConvertible, CustomReflectable {
  /// `private`.
  public var description: String { "private" }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The member of the marker of a private value.
private enum MarkerKey: String, CodingKey {
  case `private`
}

/// A ``Private`` of any type.
package protocol AnyPrivate {}

extension Private: AnyPrivate {}

/// The values of ``Private`` members, which a host encodes separately from their action.
public final class PrivateValues: Sendable {
  /// How the values are encoded and decoded.
  fileprivate enum Form: Sendable {
    case included
    case separated(PrivateValues)
  }

  @TaskLocal fileprivate static var form: Form?

  /// Encodes with the plain values, for a request to a server.
  ///
  /// ```swift
  /// let body = try PrivateValues.included { try JSONEncoder().encode(action) }
  /// ```
  ///
  /// - Parameter encode: Encodes a value on the calling thread.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  public static func included<Result>(_ encode: () throws -> Result) rethrows -> Result {
    try $form.withValue(.included, operation: encode)
  }

  private struct State {
    /// The values that the journal has.
    let known: [[UInt8]]
    /// The values that were encoded.
    var encoded: [[UInt8]] = []
    var isMissing = false
  }

  private let state: Mutex<State>
  private let encode: @Sendable (any Encodable) throws -> [UInt8]
  private let decode: @Sendable (any Decodable.Type, [UInt8]) throws -> any Decodable

  /// Creates the values of one action.
  ///
  /// - Parameters:
  ///   - texts: The values that the journal has, as JSON.
  ///   - encode: Writes a value as JSON.
  ///   - decode: Reads a value from JSON.
  package init(
    _ texts: [[UInt8]] = [], encode: @escaping @Sendable (any Encodable) throws -> [UInt8],
    decode: @escaping @Sendable (any Decodable.Type, [UInt8]) throws -> any Decodable
  ) {
    state = Mutex(State(known: texts))
    self.encode = encode
    self.decode = decode
  }

  /// Encodes or decodes an action with markers in place of these values.
  package func separated<Result>(_ code: () throws -> Result) rethrows -> Result {
    try Self.$form.withValue(.separated(self), operation: code)
  }

  /// The values that were encoded, as JSON, in the order of their numbers.
  package var texts: [[UInt8]] { state.withLock { $0.encoded } }

  /// Whether a marker was decoded whose value is not known, because it was not stored.
  package var isMissing: Bool { state.withLock { $0.isMissing } }

  fileprivate func add(_ value: some Encodable) throws -> Int {
    let text = try encode(value)
    return state.withLock { state in
      // A conversion of stored data encodes again what it has decoded.
      if !state.known.isEmpty, state.encoded.count == state.known.count { state.encoded = [] }
      state.encoded.append(text)
      return state.encoded.count - 1
    }
  }

  fileprivate func value<Value: Decodable>(at index: Int, in decoder: any Decoder) throws -> Value {
    let text = state.withLock { state -> [UInt8]? in
      guard state.known.indices.contains(index) else {
        state.isMissing = true
        return nil
      }
      return state.known[index]
    }
    guard let text, let value = try decode(Value.self, text) as? Value else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "This value is private, and was not stored. Send the action again."))
    }
    return value
  }
}

/// A private value was encoded where it could be stored.
package struct PrivateValueError: Error, CustomStringConvertible {
  package var description: String {
    "a @Private value is never stored, and only actions have one. Encode an action for a request within "
      + "PrivateValues.included"
  }
}
