package import ReactorCore
package import ReactorStreams

/// A user profile: actions call an API, and a value shared by all sessions updates the state.
package final class ProfileReactor: Reactor {
  /// The actions that clients send.
  package enum Action: Codable, Sendable {
    case refreshFollowingStatus(Int)
    case follow(Int)
  }

  /// The changes of the state.
  package enum Mutation: Codable, Sendable {
    case setFollowing(Bool)
    case setUser(User?)
  }

  /// The follow status of the profile and the signed-in user.
  package struct State: Codable, Sendable {
    var isFollowing = false
    var user: User?
  }

  /// Not following, signed out.
  package let initialState = State()

  private let api: UserAPI
  private let currentUser: Observable<User?>

  /// Creates a reactor.
  ///
  /// - Parameters:
  ///   - api: Stores which users are followed.
  ///   - currentUser: The signed-in user, shared by all sessions of the host.
  package init(api: UserAPI, currentUser: Observable<User?>) {
    self.api = api
    self.currentUser = currentUser
  }

  /// Maps each action to an API call.
  package func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .refreshFollowingStatus(let userID):
      api.isFollowing(userID).map(Mutation.setFollowing)
    case .follow(let userID):
      api.follow(userID).map { .setFollowing(true) }
    }
  }

  /// Merges changes of the signed-in user into the mutations of the session.
  package func transform(mutation: Observable<Mutation>) -> Observable<Mutation> {
    .merge(mutation, currentUser.map(Mutation.setUser))
  }

  /// Applies a mutation.
  package func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .setFollowing(let isFollowing): state.isFollowing = isFollowing
    case .setUser(let user): state.user = user
    }
    return state
  }
}
