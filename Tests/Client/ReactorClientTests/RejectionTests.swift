import ClientCore
import ReactorClient
import ReactorCoding
import ReactorCore
import ReactorHost
import ReactorTestingHost
import Testing

/// The codes and the values of a reactor's errors.
struct RejectionTests {
  enum Refusal: ActionError, Codable, Equatable {
    case closed, tooLow(minimum: Int), taken(by: String, seats: [Int]), over(Int)

    var status: Int { 409 }
    var title: String { "Rejected" }
  }

  private struct UnknownUser: ActionError {
    var status: Int { 404 }
    var title: String { "No such user" }
  }

  private struct Renamed: ActionError {
    var code: String { "own-code" }
    var status: Int { 409 }
    var title: String { "Renamed" }
  }

  private final class Picky: Reactor {
    enum Action: Codable { case refuse(Refusal), find, rename, crash }
    typealias Mutation = Int
    struct State: Codable, Sendable { var value = 0 }
    private struct Mishap: Error {}
    let initialState = State()

    func mutate(action: Action) -> Observable<Int> {
      switch action {
      case .refuse(let refusal): .error(refusal)
      case .find: .error(UnknownUser())
      case .rename: .error(Renamed())
      case .crash: .error(Mishap())
      }
    }
  }

  private static let server = ReactorServer.hosting([
    ReactorRegistration("picky", summary: "Rejects") { Picky() }
      .rejecting(with: Refusal.self)
  ])

  private func problem(of action: Picky.Action) async throws -> Problem {
    do {
      _ = try await Self.server.reactor(Picky.self, "picky", session: "a").send(action)
      throw CancellationError()
    } catch let problem as Problem {
      return problem
    }
  }

  @Test(
    arguments: [
      (.closed, "closed", "null"), (.tooLow(minimum: 5), "tooLow", #"{"minimum":5}"#),
      (.taken(by: "ada", seats: [1, 2]), "taken", #"{"by":"ada","seats":[1,2]}"#),
      (.over(7), "over", "7"),
    ] as [(Refusal, String, String)])
  func `a problem has the code and the values of a reactor's error`(
    refusal: Refusal, code: String, data: String
  ) async throws {
    let problem = try await problem(of: .refuse(refusal))
    #expect(problem.status == 409 && problem.code == code)
    let shown = problem.members["data"].map { String(decoding: $0.bytes, as: UTF8.self) }
    #expect((shown ?? "null") == data)
    #expect(problem.rejection(as: Refusal.self) == refusal)
  }

  @Test func `the code of a struct is the name of its type, unless it has its own`() async throws {
    #expect(try await problem(of: .find).code == "unknownUser")
    #expect(try await problem(of: .rename).code == "own-code")
    #expect(try await problem(of: .rename).rejection(as: Refusal.self) == nil)
    #expect(try await problem(of: .crash).code == nil)
  }

  @Test func `types.ts has the declared errors`() throws {
    let description = try #require(
      Host([
        ReactorRegistration("picky", summary: "Rejects") { Picky() }
          .rejecting(with: Refusal.self)
      ]).reactor("picky")
    ).description
    let schema = try #require(description.errorSchema)
    let text = String(decoding: schema, as: UTF8.self)
    #expect(text.contains(#"{"code":{"const":"closed"}}"#))
    #expect(text.contains(#""code":{"const":"tooLow"},"data":{"type":"object","#), "\(text)")
  }
}
