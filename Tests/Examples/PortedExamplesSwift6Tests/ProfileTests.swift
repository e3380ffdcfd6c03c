import ReactorCore
import ReactorTesting
import Testing

struct UserAPI {
  var follow: @Sendable (Int) async throws -> Bool
}

struct User: Equatable {
  var name: String
}

// A global is a constant in Swift 6; its contents change.
let currentUser = BehaviorSubject<User?>(value: nil)

final class ProfileViewReactor: Reactor {
  enum Action {
    case follow(Int)
  }

  enum Mutation {
    case setFollowing(Bool)
    case setLoading(Bool)
    case setUser(User?)
  }

  struct State: Equatable {
    var isFollowing = false
    var isLoading = false
    var user: User?
  }

  let initialState = State()
  private let api: UserAPI

  init(api: UserAPI) {
    self.api = api
  }

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .follow(let userID):
      // The effect captures its dependencies instead of the reactor.
      .run { [api] send in
        send(.setLoading(true))
        send(.setFollowing(try await api.follow(userID)))
        send(.setLoading(false))
      }
    }
  }

  func transform(mutation: Observable<Mutation>) -> Observable<Mutation> {
    .merge(mutation, currentUser.skip(1).map(Mutation.setUser))
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .setFollowing(let isFollowing): state.isFollowing = isFollowing
    case .setLoading(let isLoading): state.isLoading = isLoading
    case .setUser(let user): state.user = user
    }
    return state
  }
}

final class ProfileView: View {
  var disposeBag = DisposeBag()
  let followButton = UIButton()
  let nameLabel = UILabel()

  func bind(reactor: ProfileViewReactor) {
    followButton.rx.tap
      .map { Reactor.Action.follow(1) }
      .bind(to: reactor.action)
      .disposed(by: disposeBag)

    reactor.state.map(\.isFollowing)
      .distinctUntilChanged()
      .bind(to: followButton.rx.isSelected)
      .disposed(by: disposeBag)

    reactor.state.map { $0.user?.name }
      .bind(to: nameLabel.rx.text)
      .disposed(by: disposeBag)
  }
}

@Suite(.ownSerialContext, .serialized) struct ProfileTests {
  private let api = UserAPI { $0 == 1 }

  @Test(.timeLimit(.minutes(60))) func `the reactor is tested to the exact state`() async {
    let test = ReactorTest(ProfileViewReactor(api: api))
    await test.send(.follow(1))
    await test.receive { $0.isLoading = true }
    await test.receive { $0.isFollowing = true }
    await test.receive { $0.isLoading = false }
    currentUser.onNext(User(name: "Ada"))
    await test.receive { $0.user = User(name: "Ada") }
    currentUser.onNext(nil)
    await test.receive { $0.user = nil }
    await test.finish()
  }

  @Test func `the view, with the reactor's stub`() {
    let reactor = ProfileViewReactor(api: api)
    reactor.isStubEnabled = true
    let view = ProfileView()
    view.reactor = reactor
    reactor.stub.state.value.isFollowing = true
    reactor.stub.state.value.user = User(name: "Ada")
    #expect(view.followButton.isSelected)
    #expect(view.nameLabel.text == "Ada")
    view.followButton.taps.onNext(())
    #expect(reactor.stub.actions.count == 1)
  }
}
