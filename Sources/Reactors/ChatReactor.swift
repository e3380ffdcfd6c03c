public import ReactorCore
internal import ReactorHost

/// A room: many clients, one session.
public final class ChatReactor: Reactor {
  /// What a client asks for.
  public enum Action: Codable, Sendable {
    case join(String)
    case leave(String)
    case send(from: String, text: String)
  }

  /// One change of the room.
  public enum Mutation: Codable, Sendable {
    case addMember(String)
    case removeMember(String)
    case append(Message)
  }

  /// Something that was said.
  public struct Message: Codable, Equatable, Sendable {
    var from: String
    var text: String
    /// When it was said, as ISO 8601.
    ///
    /// The mutation carries it, so that a replay says the same.
    var at: String
  }

  /// Who is there, and what was said last.
  public struct State: Codable, Sendable {
    /// How many messages the state keeps; the log has them all.
    static let messageLimit = 100

    var members: [String] = []
    var messages: [Message] = []
  }

  /// Nobody, and silence.
  public let initialState = State()

  /// Lets people in and out, and those who are in speak.
  public func mutate(action: Action) -> Observable<Mutation> {
    let members = currentState.members
    switch action {
    case .join(let name):
      guard !name.isBlank else { return .error(Refusal.blankName) }
      return members.contains(name) ? .empty() : .just(.addMember(name))
    case .leave(let name):
      return members.contains(name) ? .just(.removeMember(name)) : .empty()
    case .send(let name, let text):
      guard members.contains(name) else { return .error(Refusal.notJoined) }
      guard !text.isBlank else { return .error(Refusal.blankText) }
      return .just(.append(Message(from: name, text: text, at: Timestamp.now.description)))
    }
  }

  /// Writes a change into the room.
  public func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .addMember(let name): state.members.append(name)
    case .removeMember(let name): state.members.removeAll { $0 == name }
    case .append(let message):
      state.messages.append(message)
      state.messages.removeFirst(max(0, state.messages.count - State.messageLimit))
    }
    return state
  }
}

private enum Refusal: ActionError {
  case blankName
  case blankText
  case notJoined

  var status: Int { 422 }

  var title: String {
    switch self {
    case .blankName: "A name is needed to join"
    case .blankText: "The text is blank"
    case .notJoined: "Only who has joined can send"
    }
  }

  var detail: String? {
    switch self {
    case .blankName: "Join with a name that is not blank."
    case .blankText: "Send a text that is not blank."
    case .notJoined: "Join under this name first, then send."
    }
  }
}

extension String {
  fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
