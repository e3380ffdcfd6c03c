import LogTestSupport
import ReactorCore
import ReactorHost
import ReactorStreams
import Telemetry
import Testing

/// The request context of an action's effects.
struct RequestContextTests {
  private final class Asking: Reactor {
    enum Action: Codable { case atOnce, later, afterTheScheduler, principal, fail }
    typealias Mutation = String
    typealias State = [String]
    let initialState: [String] = []

    func mutate(action: Action) -> Observable<String> {
      switch action {
      case .atOnce: return .just(Self.id)
      case .later: return .run { send in send(Self.id) }
      case .afterTheScheduler:
        return Observable.just("").delay(.milliseconds(1), scheduler: MainScheduler.instance).map {
          _ in Self.id
        }
      case .principal: return .run { send in send(Self.principal) }
      case .fail: return .run { _ in throw Failure() }
      }
    }

    func reduce(state: [String], mutation: String) -> [String] { state + [mutation] }

    private static var id: String { RequestContext.current?.id ?? "none" }

    private static var principal: String {
      let principal = RequestContext.current?.principal
      return principal.map { "\($0.id) \($0.has(role: "staff"))" } ?? "none"
    }
  }

  private struct Failure: Error {}

  private static let context = RequestContext(
    id: "r-1", principal: Principal(id: "ada", claims: Claims([("role", .string("staff"))])))

  private func result(of action: String, _ lines: Recorder<String> = Recorder()) async throws
    -> String
  {
    let logger = Logger(level: .error) { _, _, fields in
      lines.add(fields.map { "\($0.0)=\($0.1)" }.joined(separator: " "))
    }
    let host = Host(
      [ReactorRegistration("asking", summary: "") { Asking() }], logger: logger)
    let session = try await #require(host.reactor("asking")).session("a", for: .use).session
    try await withCheckedThrowingContinuation { continuation in
      do {
        try session.submit(
          Array("\"\(action)\"".utf8), ifAt: nil, key: nil, for: Self.context, accepted: nil
        ) { _ in continuation.resume() }
      } catch { continuation.resume(throwing: error) }
    }
    if action != "fail" {
      #expect(try await session.entries(after: 0, limit: 9).map(\.by) == ["ada"])
    }
    return String(decoding: session.current.json, as: UTF8.self)
  }

  @Test(arguments: ["atOnce", "later", "afterTheScheduler"])
  func `an effect has the context of its request`(action: String) async throws {
    #expect(try await result(of: action) == #"["r-1"]"#)
  }

  @Test func `an effect knows the principal of its request`() async throws {
    #expect(try await result(of: "principal") == #"["ada true"]"#)
  }

  @Test func `the log line of a failed effect names its request`() async throws {
    let lines = Recorder<String>()
    _ = try await result(of: "fail", lines)
    #expect(lines.values.contains { $0.contains("request=r-1") })
  }
}
