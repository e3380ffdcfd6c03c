import ReactorCore

package final class RoomReactor: Reactor {
  package enum Action: Codable, Sendable {
    case join(String)
    case say(who: String, text: String)
    case rollDice(who: String)
    case remind(text: String, seconds: Int)
    case forgetReminders
  }

  package enum Mutation: Codable, Sendable {
    case addMember(String)
    case append(who: String, text: String)
  }

  package struct State: Codable, Equatable, Sendable {
    struct Line: Codable, Equatable, Sendable {
      var who: String
      var text: String
    }

    var members: [String] = []
    var lines: [Line] = []
  }

  package let initialState = State()

  package init() {}

  package func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .join(let name):
      return currentState.members.contains(name) ? .empty() : .just(.addMember(name))
    case .say(let who, let text):
      guard currentState.members.contains(who) else { return .error(NotHere(who: who)) }
      return .just(.append(who: who, text: text))
    case .rollDice(let who):
      return .just(.append(who: who, text: "rolled \(Int.random(in: 1...6))"))
    case .remind(let text, let seconds):
      return Observable<Int>
        .timer(.seconds(min(max(seconds, 0), 3600)), scheduler: MainScheduler.instance)
        .map { _ in .append(who: "reminder", text: text) }
        .cancellable(id: "reminders")
    case .forgetReminders:
      return .cancel(id: "reminders")
    }
  }

  package func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .addMember(let name): state.members.append(name)
    case .append(let who, let text):
      state.lines.append(State.Line(who: who, text: text))
      state.lines.removeFirst(max(0, state.lines.count - 100))
    }
    return state
  }
}

struct NotHere: ActionError, Equatable {
  let who: String
  var status: Int { 422 }
  var title: String { "\(who) is not in the room" }
}
