// In the style of its authors, so it is exempt from formatting.
// swift-format-ignore-file

import ReactorCore
import ReactorTesting
import Testing

enum UserAPI {
  static func isFollowing(_ userID: Int) -> Observable<Bool> {
    userID == 1 ? .just(true) : .just(false)
  }

  static func follow() -> Observable<Void> {
    .just(())
  }
}

struct User: Equatable {
  var name: String
}

// global state
var currentUser: BehaviorSubject<User> = BehaviorSubject(value: User(name: "guest"))

class ProfileViewReactor: Reactor {
  // represent user actions
  enum Action {
    case refreshFollowingStatus(Int)
    case follow(Int)
  }

  // represent state changes
  enum Mutation {
    case setFollowing(Bool)
    case setUser(User)
  }

  // represents the current view state
  struct State {
    var isFollowing: Bool = false
    var user: User?
  }

  let initialState: State = State()

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case let .refreshFollowingStatus(userID): // receive an action
      return UserAPI.isFollowing(userID) // create an API stream
        .map { (isFollowing: Bool) -> Mutation in
          return Mutation.setFollowing(isFollowing) // convert to Mutation stream
        }

    case .follow(_):
      return UserAPI.follow()
        .map { _ -> Mutation in
          return Mutation.setFollowing(true)
        }
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state // create a copy of the old state
    switch mutation {
    case let .setFollowing(isFollowing):
      state.isFollowing = isFollowing // manipulate the state, create a new state
      return state // return the new state
    case let .setUser(user):
      state.user = user
      return state
    }
  }

  func transform(action: Observable<Action>) -> Observable<Action> {
    return action.do(onNext: { _ in }) // Use RxSwift's operators
  }

  func transform(mutation: Observable<Mutation>) -> Observable<Mutation> {
    return Observable.merge(mutation, currentUser.map(Mutation.setUser))
  }
}

class ProfileViewController: UIViewController, View, @unchecked Sendable {  // Proof: see UIView.
  var disposeBag = DisposeBag()

  let refreshButton = UIButton()
  let followButton = UIButton()
  let nameLabel = UILabel()

  func bind(reactor: ProfileViewReactor) {
    // action (View -> Reactor)
    refreshButton.rx.tap.map { Reactor.Action.refreshFollowingStatus(1) }
      .bind(to: reactor.action)
      .disposed(by: self.disposeBag)

    followButton.rx.tap
      .map { Reactor.Action.follow(1) }
      .bind(to: reactor.action)
      .disposed(by: disposeBag)

    // state (Reactor -> View)
    reactor.state.map { $0.isFollowing }
      .distinctUntilChanged()
      .bind(to: followButton.rx.isSelected)
      .disposed(by: self.disposeBag)

    reactor.state.compactMap { $0.user?.name }
      .bind(to: nameLabel.rx.text)
      .disposed(by: self.disposeBag)
  }
}

// The same view, from a storyboard.
// Proof: see UIView.
class ProfileStoryboardViewController: UIViewController, StoryboardView, @unchecked Sendable {
  var disposeBag = DisposeBag()
  var followButton: UIButton!

  override func viewDidLoad() {
    super.viewDidLoad()
    followButton = UIButton()
  }

  func bind(reactor: ProfileViewReactor) {
    reactor.state.map { $0.isFollowing }
      .bind(to: followButton.rx.isSelected)
      .disposed(by: self.disposeBag)
  }
}

@Suite(.ownSerialContext) struct ProfileTests {
  @Test func `a tap changes the state and the view`() {
    let profileViewController = ProfileViewController()
    profileViewController.reactor = ProfileViewReactor() // inject reactor
    #expect(!profileViewController.followButton.isSelected)
    profileViewController.followButton.sendActions(for: .touchUpInside)
    #expect(profileViewController.followButton.isSelected)
    profileViewController.reactor?.action.onNext(.refreshFollowingStatus(2))
    #expect(!profileViewController.followButton.isSelected)
    profileViewController.refreshButton.sendActions(for: .touchUpInside)
    #expect(profileViewController.followButton.isSelected)
  }

  @Test func `the global state reaches the view`() {
    let profileViewController = ProfileViewController()
    profileViewController.reactor = ProfileViewReactor()
    #expect(profileViewController.nameLabel.text == "guest")
    currentUser.onNext(User(name: "Ada"))
    #expect(profileViewController.nameLabel.text == "Ada")
    currentUser.onNext(User(name: "guest"))
  }

  @Test func `a view from a storyboard is bound when it has loaded`() {
    let viewController = ProfileStoryboardViewController()
    let reactor = ProfileViewReactor()
    viewController.reactor = reactor
    viewController.loadViewIfNeeded()
    reactor.action.onNext(.follow(1))
    #expect(viewController.followButton.isSelected)
  }

  @Test func `the view is tested with the reactor's stub`() {
    let reactor = ProfileViewReactor()
    reactor.isStubEnabled = true
    let viewController = ProfileViewController()
    viewController.reactor = reactor

    // The view shows the states that the test sets.
    reactor.stub.state.value = ProfileViewReactor.State(isFollowing: true, user: nil)
    #expect(viewController.followButton.isSelected)

    // The stub records the actions that the view sends.
    viewController.refreshButton.sendActions(for: .touchUpInside)
    guard case .refreshFollowingStatus(1)? = reactor.stub.actions.last else {
      Issue.record("no action")
      return
    }
  }
}
