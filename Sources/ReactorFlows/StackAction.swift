package import ReactorCoding

/// A request of a client that concerns the stack of a flow.
///
/// A screen is always addressed by its id, so that two clients, or a slow network, do not close or
/// change another screen than the one that was displayed.
public enum StackAction<Flow: CoordinatorProtocol>: Codable, Sendable {
  /// Sends an action to a presented screen: `{"send":{"to":"2","action":{"drink":"add"}}}`.
  case send(to: String, action: ModuleAction<Flow>)

  /// Dismisses a screen and those above it: `{"dismiss":"2"}`.
  case dismiss(String)

  /// Goes to a path: `{"open":"/drinks/Mocha"}`.
  case open(String)
}

/// A change of the stack of a flow.
public enum StackMutation<Flow: CoordinatorProtocol>: Codable, Sendable {
  /// A screen was presented on top of the others.
  case present(Entry<Flow>)

  /// Screens were dismissed, the highest first.
  case dismiss(entries: [DismissedEntry<Flow>], animated: Bool)

  /// The screen on top was replaced.
  case replace(by: Entry<Flow>, dismissed: DismissedEntry<Flow>)

  /// The State of a screen has changed.
  case change(id: String, mutation: ModuleMutation<Flow>)
}

/// A dismissed screen in a mutation.
public struct DismissedEntry<Flow: CoordinatorProtocol>: Codable, Sendable {
  /// The id of the screen.
  public let id: String

  /// The step that is coordinated.
  public let onDismissed: Flow.Step?

  init(_ entry: Entry<Flow>) {
    id = entry.id
    onDismissed = entry.onDismissed
  }
}

/// An action of one of the modules of a flow: `{"drink":{"size":"large"}}`.
public struct ModuleAction<Flow: CoordinatorProtocol>: Codable, Sendable {
  let screen: String
  let value: any ModuleValue

  /// Reads the action, whose only member names the module.
  public init(from decoder: any Decoder) throws {
    (screen, value) = try decoder.decodeValue(of: Flow.self) { $0.actionType }
  }

  /// Writes the action.
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(value, of: screen)
  }
}

/// A mutation of one of the modules of a flow: `{"drink":{"setSize":"large"}}`.
public struct ModuleMutation<Flow: CoordinatorProtocol>: Codable, Sendable {
  let screen: String
  let value: any ModuleValue

  init(_ screen: String, _ value: any ModuleValue) {
    self.screen = screen
    self.value = value
  }

  /// Reads the mutation, whose only member names the module.
  public init(from decoder: any Decoder) throws {
    (screen, value) = try decoder.decodeValue(of: Flow.self) { $0.mutationType }
  }

  /// Writes the mutation.
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(value, of: screen)
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

extension Decoder {
  fileprivate func decodeValue<Flow: CoordinatorProtocol>(
    of flow: Flow.Type, as type: (any ModuleWitness<Flow>) -> any ModuleValue.Type
  ) throws -> (screen: String, value: any ModuleValue) {
    let container = try container(keyedBy: ScreenName.self)
    let names = container.allKeys
    guard names.count == 1, let name = names.first else {
      throw DecodingError.memberCount(names.count, among: Flow.modules.map(\.name), in: self)
    }
    guard let module = Flow.module(named: name.stringValue) else {
      throw DecodingError.unknownName(
        name.stringValue, among: Flow.modules.map(\.name), in: self)
    }
    return (module.name, try container.decode(type(module.witness), forKey: name))
  }
}

extension Encoder {
  fileprivate func encode(_ value: any ModuleValue, of screen: String) throws {
    var container = container(keyedBy: ScreenName.self)
    try container.write(value, forKey: ScreenName(screen))
  }
}

extension KeyedEncodingContainer {
  /// Encodes a value of a type that is known at run time.
  mutating func write(_ value: some ModuleValue, forKey key: Key) throws {
    try encode(value, forKey: key)
  }
}

extension ModuleAction: SchemaDescribing {
  package static var schemaForm: SchemaForm { .tagged(Flow.self) { $0.actionType } }
  package static var schemaPlaceholder: Self? { nil }
}

extension ModuleMutation: SchemaDescribing {
  package static var schemaForm: SchemaForm { .tagged(Flow.self) { $0.mutationType } }
  package static var schemaPlaceholder: Self? { nil }
}

extension SchemaForm {
  fileprivate static func tagged<Flow: CoordinatorProtocol>(
    _ flow: Flow.Type, _ type: (any ModuleWitness<Flow>) -> any ModuleValue.Type
  ) -> SchemaForm {
    .oneOf(
      Flow.modules.map { .object([($0.name, .type(type($0.witness)))], isClosed: true) })
  }
}
