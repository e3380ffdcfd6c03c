public import ReactorCore
public import ReactorStreams

/// Whether somebody is followed, and who is signed in: an API behind the actions, and a value that
/// all sessions share.
public final class ProfileReactor: Reactor {
  /// What a client asks for.
  public enum Action: Codable, Sendable {
    case refreshFollowingStatus(Int)
    case follow(Int)
  }

  /// One change of the profile.
  public enum Mutation: Codable, Sendable {
    case setFollowing(Bool)
    case setUser(User?)
  }

  /// The profile.
  public struct State: Codable, Sendable {
    var isFollowing = false
    var user: User?
  }

  /// Following nobody, signed in as nobody.
  public let initialState = State()

  private let api: UserAPI
  private let currentUser: Observable<User?>

  /// Makes a profile.
  ///
  /// - Parameters:
  ///   - api: Knows who is followed.
  ///   - currentUser: Who is signed in, everywhere on the host.
  public init(api: UserAPI, currentUser: Observable<User?>) {
    self.api = api
    self.currentUser = currentUser
  }

  /// Asks the API.
  public func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .refreshFollowingStatus(let userID):
      api.isFollowing(userID).map(Mutation.setFollowing)
    case .follow(let userID):
      api.follow(userID).map { .setFollowing(true) }
    }
  }

  /// Lets every change of the signed-in user be a mutation of this session too.
  public func transform(mutation: Observable<Mutation>) -> Observable<Mutation> {
    .merge(mutation, currentUser.map(Mutation.setUser))
  }

  /// Writes a change into the profile.
  public func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .setFollowing(let isFollowing): state.isFollowing = isFollowing
    case .setUser(let user): state.user = user
    }
    return state
  }
}
