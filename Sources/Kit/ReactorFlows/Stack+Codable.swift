package import ReactorCoding

/// The members of a stack.
///
/// Declared outside of the stack: keys inside a generic type are looked up at run time.
private enum StackKey: String, CodingKey { case path, presented, entries }

extension Stack: Codable {
  /// Writes the stack with its path.
  public func encode(to encoder: any Encoder) throws {
    if let object = JSONObjectOutput(encoder) { return try contents.encode(to: object) }
    var container = encoder.container(keyedBy: StackKey.self)
    try container.encode(path, forKey: .path)
    try container.encode(presented, forKey: .presented)
    try container.encode(entries, forKey: .entries)
  }

  /// Reads the stack; its path is ignored, because it is derived from the screens.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: StackKey.self)
    let presented = try container.decode(Int.self, forKey: .presented)
    let entries = try container.decode([Entry<Flow>].self, forKey: .entries)
    contents = StackContents(entries: entries.map(\.contents), presented: presented)
  }
}

/// The members of a screen.
private enum EntryKey: String, CodingKey {
  case id, screen, presentation, animated, onDismissed, state
}

extension Entry: Codable {
  /// Writes the screen with the State of its module.
  public func encode(to encoder: any Encoder) throws {
    if let object = JSONObjectOutput(encoder) { return try contents.encode(to: object) }
    var container = encoder.container(keyedBy: EntryKey.self)
    try container.encode(id, forKey: .id)
    try container.encode(screen, forKey: .screen)
    try container.encode(presentation, forKey: .presentation)
    try container.encode(animated, forKey: .animated)
    try container.encode(onDismissed, forKey: .onDismissed)
    try container.write(contents.state, forKey: .state)
  }

  /// Reads the screen; its name selects the type of the State.
  ///
  /// - Throws: An error that lists the screens if this release does not have the module.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: EntryKey.self)
    let screen = try container.decode(String.self, forKey: .screen)
    guard let kind = Flow.module(named: screen)?.kind else {
      throw DecodingError.unknownName(screen, among: Flow.modules.map(\.name), in: decoder)
    }
    let facts = ScreenFacts(
      try container.decode(String.self, forKey: .id), kind,
      try container.decode(Presentation.self, forKey: .presentation),
      animated: try container.decode(Bool.self, forKey: .animated),
      onDismissed: try container.decodeIfPresent(Flow.Step.self, forKey: .onDismissed))
    let state = try container.decode(kind.stateType, forKey: .state)
    contents = PresentedScreen(facts, state: state)
  }
}

extension KeyedEncodingContainer {
  /// Encodes a value of a type that is known at run time.
  mutating func write(_ value: some ModuleValue, forKey key: Key) throws {
    try encode(value, forKey: key)
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

  package static var schemaPlaceholder: Self? {
    Stack(contents: StackContents(entries: [], presented: 0))
  }
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
            ("state", .type(module.witness.kind.stateType)),
          ], isClosed: false)
      })
  }

  package static var schemaPlaceholder: Self? { nil }
}
