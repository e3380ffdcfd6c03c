import ReactorCore

/// Checks passwords that must not be stored; the first check of a user continues until the process ends.
final class DoorReactor: Reactor {
  enum Action: Codable, Sendable {
    case signIn(Credentials)
    /// Traps.
    case force(pin: Private<String>)
  }

  struct Credentials: Codable, Sendable {
    var name: String
    @Private var password: String
  }

  struct Mutation: Codable, Sendable {
    var name: String
    var length: Int
  }

  /// The lengths of passwords, by the names of users.
  typealias State = [String: Int]
  let initialState: State = [:]

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .signIn(let user):
      guard RequestContext.current?.isRepetition == true else { return .never() }
      return .just(Mutation(name: user.name, length: user.password.count))
    case .force(let pin): fatalError("the door is forced with \(pin)")
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    state.merging([mutation.name: mutation.length]) { $1 }
  }
}
