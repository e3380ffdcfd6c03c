package import ReactorCore
internal import ReactorHost

/// A chat room: many clients, one session.
///
/// A room has at most 500 members; a name has at most 100 bytes of UTF-8, a text 8,000. An action
/// beyond these bounds is rejected with status 422. The state retains the last 100 messages, of
/// at most 512 KiB as JSON.
package final class ChatReactor: Reactor {
  /// The actions that clients send.
  package enum Action: Codable, Sendable {
    case join(String)
    case leave(String)
    case send(from: String, text: String)
  }

  /// The changes of the state.
  package enum Mutation: Codable, Sendable {
    case addMember(String)
    case removeMember(String)
    case append(Message)
  }

  /// A message in the room.
  package struct Message: Codable, Equatable, Sendable {
    var from: String
    var text: String
    /// The time of sending in ISO 8601.
    ///
    /// Part of the mutation, so that a replay produces the same state.
    var at: String
  }

  /// The members and the latest messages.
  package struct State: Codable, Equatable, Sendable {
    /// The maximum number of messages in the state; the log retains all of them.
    static let messageLimit = 100

    /// The maximum size of the messages in the state as JSON.
    static let messageBytes = 524_288

    /// The maximum number of members.
    static let memberLimit = 500

    /// The maximum length of a name in bytes.
    static let nameLimit = 100

    /// The maximum length of a text in bytes.
    static let textLimit = 8_000

    var members: [String] = []
    var messages: [Message] = []
  }

  /// An empty room.
  package let initialState = State()

  /// Creates an empty room.
  package init() {}

  /// Validates an action against the members of the room.
  package func mutate(action: Action) -> Observable<Mutation> {
    let members = currentState.members
    switch action {
    case .join(let name):
      // Before any comparison: the time of comparing texts grows with their length.
      guard name.utf8.count <= State.nameLimit else { return .error(ChatError.longName) }
      guard !name.isBlank else { return .error(ChatError.blankName) }
      guard !members.contains(name) else { return .empty() }
      guard members.count < State.memberLimit else { return .error(ChatError.fullRoom) }
      return .just(.addMember(name))
    case .leave(let name):
      guard name.utf8.count <= State.nameLimit else { return .empty() }
      return members.contains(name) ? .just(.removeMember(name)) : .empty()
    case .send(let name, let text):
      guard name.utf8.count <= State.nameLimit, members.contains(name) else {
        return .error(ChatError.notJoined)
      }
      guard text.utf8.count <= State.textLimit else { return .error(ChatError.longText) }
      guard !text.isBlank else { return .error(ChatError.blankText) }
      return .just(.append(Message(from: name, text: text, at: Timestamp.now.description)))
    }
  }

  /// Applies a mutation.
  package func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .addMember(let name): state.members.append(name)
    case .removeMember(let name): state.members.removeAll { $0 == name }
    case .append(let message):
      state.messages.append(message)
      state.messages.removeFirst(max(0, state.messages.count - State.messageLimit))
      state.messages.removeFirst(beyond: State.messageBytes)
    }
    return state
  }
}

extension ChatReactor.Message: JSONSized {
  func jsonSize(_ size: (String) -> Int) -> Int { size(from) + size(text) + size(at) + 32 }
}

enum ChatError: ActionError {
  case blankName
  case blankText
  case fullRoom
  case longName
  case longText
  case notJoined

  var status: Int { 422 }

  var title: String {
    switch self {
    case .blankName: "A name is needed to join"
    case .blankText: "The text is blank"
    case .fullRoom: "The room is full"
    case .longName: "The name is too long"
    case .longText: "The text is too long"
    case .notJoined: "Only members can send"
    }
  }

  var detail: String? {
    switch self {
    case .blankName: "Join with a name that is not blank."
    case .blankText: "Send a text that is not blank."
    case .fullRoom: "Join when another member has left."
    case .longName: "Use a name of at most \(ChatReactor.State.nameLimit) bytes."
    case .longText: "Send at most \(ChatReactor.State.textLimit) bytes at once."
    case .notJoined: "Join under this name first, then send."
    }
  }
}

extension String {
  fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
