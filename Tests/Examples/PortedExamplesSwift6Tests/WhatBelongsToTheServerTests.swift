import Foundation
import ReactorCore
import ReactorTesting
import Testing

// The code of the article, which a test compares with it.

final class ProfileReactor: Reactor {
  enum Action: Codable { case load, save(name: String), invite }

  enum Mutation: Codable {
    case setLoading(Bool)
    case setProfile(Profile)
    case setOffline
    case setSaved(name: String)
    case addInvitation(code: Int)
  }

  struct State: Codable, Equatable {
    var profile: Profile?
    var isLoading = false
    /// It belongs to the State: every client shows it until the next load.
    var isOffline = false
    /// A client shows "saved" when the number grows.
    var savedCount = 0
    var invitations: [Int] = []
  }

  let initialState = State()
  private let api: any ProfileAPI

  init(api: any ProfileAPI) { self.api = api }

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .load:
      // The effect captures what it needs, and not the reactor.
      let profile = Observable<Mutation>.run { [api] send in
        send(.setProfile(try await api.profile()))
      }
      return .concat(
        .just(.setLoading(true)), profile.catchErrorJustReturn(.setOffline),
        .just(.setLoading(false)))
    case .save(let name):
      guard !name.isEmpty else { return .error(NameMissing()) }
      return .just(.setSaved(name: name))
    case .invite:
      return .just(.addInvitation(code: .random(in: 1000...9999)))
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .setLoading(let isLoading): state.isLoading = isLoading
    case .setProfile(let profile): (state.profile, state.isOffline) = (profile, false)
    case .setOffline: state.isOffline = true
    case .setSaved(let name):
      state.profile?.name = name
      state.savedCount += 1
    case .addInvitation(let code): state.invitations.append(code)
    }
    return state
  }
}

struct Profile: Codable, Equatable {
  var name: String
  /// Where the picture is, and not its bytes.
  var avatar: String?
}

/// The response to the client that sent the action; the State does not change.
struct NameMissing: ActionError, Equatable {
  let status = 422, title = "A profile needs a name"
}

protocol ProfileAPI: Sendable {
  func profile() async throws -> Profile
}

final class SignInReactor: Reactor {
  enum Action: Codable {
    case signIn(Credentials)
    case signOut
  }

  struct Credentials: Codable {
    var name: String
    @Private var password: String
  }

  enum Mutation: Codable {
    case signedIn(name: String)
    case signedOut
  }

  struct State: Codable, Equatable {
    var user: String?
  }

  let initialState = State()
  private let accounts: any Accounts

  init(accounts: any Accounts) { self.accounts = accounts }

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .signIn(let user):
      return .run { [accounts] send in
        guard try await accounts.check(user.name, user.password) else { throw WrongPassword() }
        send(.signedIn(name: user.name))
      }
    case .signOut: return .just(.signedOut)
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    switch mutation {
    case .signedIn(let name): State(user: name)
    case .signedOut: State()
    }
  }
}

// The end of the code of the article.

protocol Accounts: Sendable {
  func check(_ name: String, _ password: String) async throws -> Bool
}

struct WrongPassword: ActionError, Equatable {
  let status = 403, title = "The password is wrong"
}

struct WhatBelongsToTheServerTests {
  private struct API: ProfileAPI {
    let name: String?

    func profile() async throws -> Profile {
      guard let name else { throw NameMissing() }
      return Profile(name: name, avatar: "/pictures/7")
    }
  }

  @Test func `the article has the code that is compiled`() throws {
    let file = URL(filePath: #filePath)
    let root = file.appending(path: "../../../..").standardizedFileURL
    let article = try String(
      contentsOf: root.appending(
        path: "Sources/Kit/ReactorCore/Documentation.docc/WhatBelongsToTheServer.md"),
      encoding: .utf8)
    let source = try String(contentsOf: file, encoding: .utf8)
    let blocks = article.split(separator: "```swift\n").dropFirst()
    #expect(blocks.count == 2)
    for block in blocks {
      let code = try #require(block.split(separator: "```").first)
      #expect(source.contains(code))
    }
  }

  @Test func `an error of the action reaches its client, and that of the server the State`() async {
    let test = ReactorTest(ProfileReactor(api: API(name: nil)))
    await test.send(.save(name: ""))
    await test.receive(failure: NameMissing())
    await test.send(.load) { $0.isLoading = true }
    await test.receive { $0.isOffline = true }
    await test.receive { $0.isLoading = false }
    await test.finish()
  }

  @Test func `a password is checked, and the State has the name only`() async {
    struct Passwords: Accounts {
      func check(_ name: String, _ password: String) -> Bool { password == "open" }
    }
    let test = ReactorTest(SignInReactor(accounts: Passwords()))
    await test.send(.signIn(.init(name: "Ada", password: "guess")))
    await test.receive(failure: WrongPassword())
    await test.send(.signIn(.init(name: "Ada", password: "open")))
    await test.receive { $0.user = "Ada" }
    await test.finish()
  }

  @Test func `a profile is loaded and saved`() async {
    let test = ReactorTest(ProfileReactor(api: API(name: "Ada")))
    await test.send(.load) { $0.isLoading = true }
    await test.receive { $0.profile = Profile(name: "Ada", avatar: "/pictures/7") }
    await test.receive { $0.isLoading = false }
    await test.send(.save(name: "Grace")) {
      $0.profile?.name = "Grace"
      $0.savedCount = 1
    }
    await test.finish()
  }

  @Test func `the mutation carries the random number`() async throws {
    let reactor = ProfileReactor(api: API(name: nil))
    let folded = reactor.reduce(state: .init(), mutation: .addInvitation(code: 1234))
    #expect(folded == reactor.reduce(state: .init(), mutation: .addInvitation(code: 1234)))
    let state = try await reactor.send(.invite)
    #expect((1000...9999).contains(try #require(state.invitations.first)))
  }
}
