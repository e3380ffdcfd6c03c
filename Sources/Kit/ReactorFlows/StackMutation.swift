package import ReactorCoding

/// A change of the stack of a flow.
public enum StackMutation<Flow: CoordinatorProtocol>: Sendable {
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

  /// The step that is coordinated after the dismissal, or `nil` for none.
  public let onDismissed: Flow.Step?

  init(_ screen: PresentedScreen) {
    id = screen.facts.id
    onDismissed = screen.facts.onDismissed as? Flow.Step
  }
}

/// A mutation of one of the modules of a flow: `{"drink":{"setSize":"large"}}`.
public struct ModuleMutation<Flow: CoordinatorProtocol>: Codable, Sendable {
  @usableFromInline let message: ScreenMessage

  @usableFromInline
  init(_ message: ScreenMessage) {
    self.message = message
  }

  /// Reads the mutation, whose only member names the module.
  public init(from decoder: any Decoder) throws {
    message = try ScreenMessage(from: decoder, in: Flow.self) { $0.mutationType }
  }

  fileprivate init?(from input: JSONInput) throws {
    guard let message = try ScreenMessage(from: input, in: Flow.self, as: { $0.mutationType })
    else { return nil }
    self.message = message
  }

  /// Writes the mutation.
  public func encode(to encoder: any Encoder) throws {
    try message.encode(to: encoder)
  }
}

extension StackMutation: Codable {
  /// The JSON as the compiler derives it: for schemas, errors and the encoders of other modules.
  private enum Derived: Codable {
    case present(Entry<Flow>)
    case dismiss(entries: [DismissedEntry<Flow>], animated: Bool)
    case replace(by: Entry<Flow>, dismissed: DismissedEntry<Flow>)
    case change(id: String, mutation: ModuleMutation<Flow>)
  }

  /// Reads the mutation.
  public init(from decoder: any Decoder) throws {
    if let change = JSONInput(decoder)?.onlyMember(named: "change"), change.memberCount == 2,
      let id = change["id"]?.string, let member = change["mutation"],
      let mutation = try ModuleMutation<Flow>(from: member)
    {
      self = .change(id: id, mutation: mutation)
    } else {
      self.init(try Derived(from: decoder))
    }
  }

  /// Writes the mutation.
  public func encode(to encoder: any Encoder) throws {
    guard case .change(let id, let mutation) = self, let object = JSONObjectOutput(encoder) else {
      return try derived.encode(to: encoder)
    }
    let change = try object.object(as: "change")
    try change.encode(id, as: "id")
    try mutation.message.encode(to: change, as: "mutation")
  }

  private init(_ derived: Derived) {
    switch derived {
    case .present(let entry): self = .present(entry)
    case .dismiss(let entries, let animated): self = .dismiss(entries: entries, animated: animated)
    case .replace(let entry, let dismissed): self = .replace(by: entry, dismissed: dismissed)
    case .change(let id, let mutation): self = .change(id: id, mutation: mutation)
    }
  }

  private var derived: Derived {
    switch self {
    case .present(let entry): .present(entry)
    case .dismiss(let entries, let animated): .dismiss(entries: entries, animated: animated)
    case .replace(let entry, let dismissed): .replace(by: entry, dismissed: dismissed)
    case .change(let id, let mutation): .change(id: id, mutation: mutation)
    }
  }
}

extension ModuleMutation: SchemaDescribing {
  package static var schemaForm: SchemaForm { .tagged(Flow.self) { $0.mutationType } }
  package static var schemaPlaceholder: Self? { nil }
}
