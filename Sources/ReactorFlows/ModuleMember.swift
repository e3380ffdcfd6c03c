internal import ReactorCoding

/// A value of a module as the only member of an object, whose name is that of the module.
struct ModuleMember<Flow: CoordinatorProtocol> {
  let module: ModuleWitness<Flow>
  let value: any ModuleValue

  /// Reads the value.
  ///
  /// - Throws: An error that lists the modules if there is another member, or none.
  init(
    from decoder: any Decoder, as type: (ScreenKind) -> any ModuleValue.Type
  ) throws {
    let container = try decoder.container(keyedBy: ScreenName.self)
    let names = container.allKeys
    guard names.count == 1, let name = names.first else {
      throw DecodingError.memberCount(names.count, among: Flow.modules.map(\.name), in: decoder)
    }
    guard let module = Flow.module(named: name.stringValue) else {
      throw DecodingError.unknownName(
        name.stringValue, among: Flow.modules.map(\.name), in: decoder)
    }
    (self.module, value) = (module, try container.decode(type(module.kind), forKey: name))
  }

  /// Reads the value; `nil` unless the only member names a module.
  init?(
    from input: JSONInput, as type: (ScreenKind) -> any ModuleValue.Type
  ) throws {
    for module in Flow.modules {
      let witness = module.witness
      guard let member = input.onlyMember(named: witness.kind.name) else { continue }
      (self.module, value) = (witness, try member.decode(type(witness.kind)))
      return
    }
    return nil
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

extension Encoder {
  func encode(_ value: any ModuleValue, of kind: ScreenKind) throws {
    var container = container(keyedBy: ScreenName.self)
    try container.write(value, forKey: ScreenName(kind.name))
  }
}

extension SchemaForm {
  static func tagged<Flow: CoordinatorProtocol>(
    _ flow: Flow.Type, _ type: (ScreenKind) -> any ModuleValue.Type
  ) -> SchemaForm {
    .oneOf(
      Flow.modules.map { .object([($0.name, .type(type($0.witness.kind)))], isClosed: true) })
  }
}
