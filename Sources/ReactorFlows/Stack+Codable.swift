package import ReactorCoding

extension Stack: Codable {
  private enum CodingKeys: String, CodingKey { case path, presented, entries }

  /// Writes the stack with its path.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(path, forKey: .path)
    try container.encode(presented, forKey: .presented)
    try container.encode(entries, forKey: .entries)
  }

  /// Reads the stack; its path is derived and ignored.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    presented = try container.decode(Int.self, forKey: .presented)
    entries = try container.decode([Entry<Flow>].self, forKey: .entries)
  }
}

extension Entry: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, screen, presentation, animated, onDismissed, state
  }

  /// Writes the screen with the State of its module.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(screen, forKey: .screen)
    try container.encode(presentation, forKey: .presentation)
    try container.encode(animated, forKey: .animated)
    try container.encode(onDismissed, forKey: .onDismissed)
    // A local name, since overloads of `state` prevent the compiler from opening the type.
    let value = state
    try container.write(value, forKey: .state)
  }

  /// Reads the screen; its name selects the type of the State.
  ///
  /// - Throws: An error that lists the screens if this release does not have the module.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    screen = try container.decode(String.self, forKey: .screen)
    guard let module = Flow.module(named: screen) else {
      throw DecodingError.unknownName(screen, among: Flow.modules.map(\.name), in: decoder)
    }
    id = try container.decode(String.self, forKey: .id)
    presentation = try container.decode(Presentation.self, forKey: .presentation)
    animated = try container.decode(Bool.self, forKey: .animated)
    onDismissed = try container.decodeIfPresent(Flow.Step.self, forKey: .onDismissed)
    state = try container.decode(module.witness.stateType, forKey: .state)
  }
}

extension Stack: SchemaDescribing {
  package static var schemaForm: SchemaForm {
    .object(
      [
        ("path", .nullable(.type(String.self))), ("presented", .type(Int.self)),
        ("entries", .array(.type(Entry<Flow>.self))),
      ], isClosed: false)
  }

  package static var schemaPlaceholder: Self? { Stack(entries: [], presented: 0) }
}

extension Entry: SchemaDescribing {
  package static var schemaForm: SchemaForm {
    .oneOf(
      Flow.modules.map { module in
        .object(
          [
            ("id", .type(String.self)), ("screen", .constant(module.name)),
            ("presentation", .type(String.self)), ("animated", .type(Bool.self)),
            ("onDismissed", .nullable(.type(Flow.Step.self))),
            ("state", .type(module.witness.stateType)),
          ], isClosed: false)
      })
  }

  package static var schemaPlaceholder: Self? { nil }
}
