internal import ReactorCoding
internal import ReactorLog

/// The parameters of a reactor's sessions, with their type.
@usableFromInline
struct SessionParameters<Value: Codable & Sendable>: Sendable {
  private let defaults: Value?
  private let example: Value?
  private let upgrade: JSONUpgrade?
  /// The default parameters, whose members replace those that stored parameters lack.
  private let rootDefaults: JSONDocument?

  @usableFromInline
  init(
    _ type: Value.Type, default defaults: Value?, example: Value?, upgrade: JSONUpgrade?
  ) {
    self.defaults = defaults
    self.example = example
    self.upgrade = upgrade
    rootDefaults = defaults.flatMap { JSONCoder.rootDefaults($0) }
  }

  /// Decodes the parameters of a session.
  ///
  /// A session that was stored before its reactor had parameters has the default.
  ///
  /// - Throws: If there is no default, or the stored parameters cannot be decoded.
  @usableFromInline
  func value(in scope: SessionScope) throws -> Value {
    guard let json = scope.parameters else {
      if scope.isOfCatalogue, let value = example ?? defaults { return value }
      guard let defaults else {
        throw LogError.unreadable(version: 0, reason: "the session has no parameters.")
      }
      return defaults
    }
    do {
      guard let upgrade else {
        return try JSONCoder.decode(Value.self, from: json, rootDefaults: rootDefaults)
      }
      return try upgrade.decode(Value.self, from: json, rootDefaults: rootDefaults)
    } catch {
      throw LogError.unreadable(
        version: 0, reason: "its parameters cannot be decoded: " + UnreadableReason.text(of: error))
    }
  }

  /// The rules for code that does not know the type.
  @usableFromInline var rules: ParameterRules {
    func json(_ value: Value?) -> [UInt8]? { value.flatMap { try? JSONCoder.encode($0) } }
    return ParameterRules(
      schema: JSONSchema.derive(Value.self, for: .input).bytes, defaults: json(defaults),
      example: json(example), defaultsProblem: JSONSchema.defaultsProblem(in: Value.self),
      hasPrivateValues: JSONSchema.contains(in: Value.self, where: isPrivate),
      undescribedTypes: JSONSchema.undescribedTypes(in: Value.self),
      normalize: { json throws(ActionDecodingError) in
        do {
          return try JSONCoder.encode(
            JSONCoder.decode(Value.self, from: json, strictness: .strict))
        } catch {
          throw ActionDecodingError(error, orElse: "The parameters do not fit.")
        }
      })
  }
}

/// The parameters of a reactor's sessions, as JSON.
@usableFromInline
struct ParameterRules: Sendable {
  /// The maximum size of parameters, in bytes.
  static let limit = 65_536

  /// The JSON Schema.
  let schema: [UInt8]

  /// The parameters of a session that is created without any, or `nil` if they are required.
  let defaults: [UInt8]?

  /// Parameters to try.
  let example: [UInt8]?

  /// The first error in the defaults that the types of the parameters declare.
  let defaultsProblem: String?

  /// Whether the parameters have private values, which cannot be stored.
  let hasPrivateValues: Bool

  /// The types that the schema cannot describe.
  let undescribedTypes: [String]

  /// Validates a client's parameters, and encodes them in the form that is stored.
  let normalize: @Sendable ([UInt8]) throws(ActionDecodingError) -> [UInt8]
}
