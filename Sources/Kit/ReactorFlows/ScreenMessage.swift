internal import ReactorCoding

/// An action or a mutation of a module, with the kind of the screen: `{"drink":"add"}`.
///
/// An object, so that actions and mutations of flows are copied as one reference.
@usableFromInline
final class ScreenMessage: Sendable {
  @usableFromInline let kind: ScreenKind
  @usableFromInline let value: any ModuleValue

  @usableFromInline
  init(_ kind: ScreenKind, _ value: any ModuleValue) {
    self.kind = kind
    self.value = value
  }

  /// Reads the value.
  ///
  /// - Throws: An error that lists the modules, unless the object has one member, the name of a
  ///   module.
  convenience init<Flow: CoordinatorProtocol>(
    from decoder: any Decoder, in flow: Flow.Type, as type: (ScreenKind) -> any ModuleValue.Type
  ) throws {
    let container = try decoder.container(keyedBy: ScreenName.self)
    let names = container.allKeys
    guard names.count == 1, let name = names.first else {
      throw DecodingError.memberCount(names.count, among: Flow.modules.map(\.name), in: decoder)
    }
    guard let kind = Flow.module(named: name.stringValue)?.kind else {
      throw DecodingError.unknownName(
        name.stringValue, among: Flow.modules.map(\.name), in: decoder)
    }
    self.init(kind, try container.decode(type(kind), forKey: name))
  }

  /// Reads the value, or returns `nil` unless the object has one member, the name of a module.
  convenience init?<Flow: CoordinatorProtocol>(
    from input: JSONInput, in flow: Flow.Type, as type: (ScreenKind) -> any ModuleValue.Type
  ) throws {
    for module in Flow.modules {
      let kind = module.witness.kind
      guard let member = input.onlyMember(named: kind.name) else { continue }
      self.init(kind, try member.decode(type(kind)))
      return
    }
    return nil
  }

  /// Writes the value.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: ScreenName.self)
    try container.write(value, forKey: ScreenName(kind.name))
  }

  /// Writes the value as a member.
  func encode(to object: JSONObjectOutput, as name: StaticString) throws {
    try object.object(as: name).encode(value, named: kind.name)
  }
}

/// The name of a module as the only member of an object.
private struct ScreenName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

extension SchemaForm {
  static func tagged<Flow: CoordinatorProtocol>(
    _ flow: Flow.Type, _ type: (ScreenKind) -> any ModuleValue.Type
  ) -> SchemaForm {
    .oneOf(
      Flow.modules.map { .object([($0.name, .type(type($0.witness.kind)))], isClosed: true) })
  }
}
