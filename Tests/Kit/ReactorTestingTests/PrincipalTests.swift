import ReactorCore
import ReactorTesting
import Testing

/// `ReactorTest.principal`.
struct PrincipalTests {
  private final class OwnerReactor: Reactor {
    enum Action: Sendable { case now, later }
    typealias Mutation = String
    typealias State = String
    let initialState = ""

    func mutate(action: Action) -> Observable<String> {
      switch action {
      case .now: .just(Self.name)
      case .later: .run { send in send(Self.name) }
      }
    }

    func reduce(state: String, mutation: String) -> String { mutation }

    private static var name: String {
      let principal = RequestContext.current?.principal
      return principal.map { $0.has(role: "staff") ? "\($0.id), staff" : $0.id } ?? "anonymous"
    }
  }

  @Test func `actions and their effects have the principal of the test`() async {
    let test = ReactorTest(OwnerReactor())
    await test.send(.now) { $0 = "anonymous" }
    test.principal = Principal(id: "ada", claims: Claims([("role", .string("staff"))]))
    await test.send(.now) { $0 = "ada, staff" }
    test.principal = Principal(id: "eve")
    await test.send(.later)
    await test.receive { $0 = "eve" }
    await test.finish()
  }
}
