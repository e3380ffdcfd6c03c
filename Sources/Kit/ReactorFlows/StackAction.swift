package import ReactorCoding
public import ReactorCore

/// A request of a client that concerns the stack of a flow.
///
/// A screen is always addressed by its id, so that an action applies only to the screen that the
/// client displayed, even if another client or a slow network has changed the stack.
public enum StackAction<Flow: CoordinatorProtocol>: Sendable {
  /// Sends an action to a presented screen: `{"send":{"to":"2","action":{"drink":"add"}}}`.
  case send(to: String, action: ModuleAction<Flow>)

  /// Dismisses a screen and those above it: `{"dismiss":"2"}`.
  case dismiss(String)

  /// Goes to a path: `{"open":"/drinks/Mocha"}`.
  case open(String)
}

/// An action of one of the modules of a flow: `{"drink":{"size":"large"}}`.
public struct ModuleAction<Flow: CoordinatorProtocol>: Codable, Sendable {
  @usableFromInline let message: ScreenMessage

  /// Reads the action, whose only member names the module.
  public init(from decoder: any Decoder) throws {
    message = try ScreenMessage(from: decoder, in: Flow.self) { $0.actionType }
  }

  fileprivate init(_ message: ScreenMessage) {
    self.message = message
  }

  /// Writes the action.
  public func encode(to encoder: any Encoder) throws {
    try message.encode(to: encoder)
  }

  /// Writes the action with the id of its screen as the member of an object.
  func encodeSend(to id: String, in object: JSONObjectOutput) throws {
    let send = try object.object(as: "send")
    try send.encode(id, as: "to")
    try message.encode(to: send, as: "action")
  }
}

extension StackAction {
  /// Creates an action for a presented screen in Swift: in a test, for a timer, or for the flow itself.
  ///
  /// ```swift
  /// flow.action.onNext(.stack(.send(.add, to: "2", of: DrinkReactor.self)))
  /// ```
  ///
  /// The flow rejects the action if the screen is not presented any more, or has another reactor.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - id: The id of the screen.
  ///   - reactor: The reactor of the screen.
  /// - Returns: The action.
  public static func send<R: Reactor>(
    _ action: R.Action, to id: String, of reactor: R.Type
  ) -> Self where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
    let kind =
      Flow.module(for: R.State.self)?.kind
      ?? ScreenKind("\(reactor)", R.Action.self, R.Mutation.self, R.State.self, link: nil)
    return .send(to: id, action: ModuleAction(ScreenMessage(kind, action)))
  }
}

extension StackAction: Codable {
  /// The JSON as the compiler derives it: for schemas, errors and the encoders of other modules.
  private enum Derived: Codable {
    case send(to: String, action: ModuleAction<Flow>)
    case dismiss(String)
    case open(String)
  }

  /// Reads the action.
  public init(from decoder: any Decoder) throws {
    if let input = JSONInput(decoder), let sent = try Self.sent(in: input) {
      self = .send(to: sent.id, action: sent.action)
    } else {
      self.init(try Derived(from: decoder))
    }
  }

  /// Reads an action for a screen, or returns `nil` for any other value, which the derived coding reads or
  /// rejects.
  static func sent(in input: JSONInput) throws -> (id: String, action: ModuleAction<Flow>)? {
    guard let send = input.onlyMember(named: "send"), send.memberCount == 2,
      let id = send["to"]?.string, let member = send["action"],
      let message = try ScreenMessage(from: member, in: Flow.self, as: { $0.actionType })
    else { return nil }
    return (id, ModuleAction(message))
  }

  /// Writes the action.
  public func encode(to encoder: any Encoder) throws {
    guard case .send(let id, let action) = self, let object = JSONObjectOutput(encoder) else {
      return try derived.encode(to: encoder)
    }
    try action.encodeSend(to: id, in: object)
  }

  private init(_ derived: Derived) {
    switch derived {
    case .send(let id, let action): self = .send(to: id, action: action)
    case .dismiss(let id): self = .dismiss(id)
    case .open(let path): self = .open(path)
    }
  }

  private var derived: Derived {
    switch self {
    case .send(let id, let action): .send(to: id, action: action)
    case .dismiss(let id): .dismiss(id)
    case .open(let path): .open(path)
    }
  }
}

extension ModuleAction: SchemaDescribing {
  package static var schemaForm: SchemaForm { .tagged(Flow.self) { $0.actionType } }
  package static var schemaPlaceholder: Self? { nil }
}
