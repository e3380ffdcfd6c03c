import ReactorCore
import ReactorHost

/// A room that lists itself in the directory, closes at its time, and knows its visitors.
final class RoomReactor: Reactor {
  struct Parameters: Codable {
    var title: String
    var closesAt: WallTime
  }

  enum Action: Codable {
    case open
    case close
    case setPresence(Presence)
  }

  enum Mutation: Codable {
    case setOpen(Bool)
    case setRoomCount(Int)
    case setVisitors([String])
  }

  struct State: Codable {
    var title: String
    var isOpen = false
    var roomCount = 0
    var visitors: [String] = []
  }

  let initialState: State
  private let context: SessionContext<Parameters>
  private let directory: SessionReference<DirectoryReactor>

  init(_ context: SessionContext<Parameters>) {
    self.context = context
    directory = context.session(DirectoryReactor.self, "directory", "main")
    initialState = State(title: context.parameters.title)
  }

  func mutate(action: Action) -> Observable<Mutation> {
    let room = context.session.id
    switch action {
    case .open:
      return .concat(
        schedule(.close, at: context.parameters.closesAt, id: "close"),
        .just(.setOpen(true)),
        directory.sendOnly(.list(room: room, title: initialState.title)))
    case .close:
      return .concat(
        .unschedule(id: "close"),
        .just(.setOpen(false)),
        directory.sendOnly(.remove(room: room)))
    case .setPresence(let presence):
      let names = presence.subscribers.map(\.name)
      // Only `transform(action:)` creates this.
      guard ActionOrigin.current == .reactor, names != currentState.visitors else {
        return .empty()
      }
      return .just(.setVisitors(names))
    }
  }

  func transform(action: Observable<Action>) -> Observable<Action> {
    .merge(action, context.subscribers.map(Action.setPresence))
  }

  func transform(mutation: Observable<Mutation>) -> Observable<Mutation> {
    .merge(mutation, directory.state.map { .setRoomCount($0.rooms.count) })
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .setOpen(let isOpen): state.isOpen = isOpen
    case .setRoomCount(let count): state.roomCount = count
    case .setVisitors(let names): state.visitors = names
    }
    return state
  }
}
