import Identity
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorTransport
import Synchronization
import Testing

@testable import ReactorHTTP

/// Decisions of a reactor's delegate.
struct DelegateTests {
  private struct Owner: ReactorDelegate {
    typealias Reactor = NumberReactor

    func authorize(_ access: Access<NumberReactor.Action>) throws {
      guard access.principal?.id == access.session.id else { throw Forbidden("Not yours.") }
      if case .act(.add(let number)) = access.request, number > 9 { throw Forbidden() }
    }
  }

  private let api: ReactorAPI

  init() {
    var settings = ReactorAPI.Settings()
    settings.authentication = .tokens(
      "token-of-user-ada-01 admin as=ada\ntoken-of-user-eve-01 admin as=eve")
    let host = Host([
      ReactorRegistration("number", summary: "A number", delegate: Owner()) {
        NumberReactor(effect: .never())
      }
    ])
    api = ReactorAPI(
      host: host, settings: settings, logger: .silent, background: WorkerPool(width: 0))
  }

  private func ask(
    _ method: String, _ path: String, by user: String?, body: String? = nil
  ) -> String {
    let responses = Recorder<HTTPResponse>()
    var headers: [(name: HTTPHeader, value: String)] = [(.contentType, "application/json")]
    if let user { headers.append((.authorization, "Bearer token-of-user-\(user)-01")) }
    let parts = path.split(separator: "?").map(String.init)
    api.respond(
      to: HTTPRequest(
        method: method, path: parts[0], query: parts.count > 1 ? parts[1] : nil,
        headers: HTTPRequestHeaders(headers), body: Array((body ?? "").utf8), hasBody: body != nil),
      reply: { responses.add($0) })
    let response = responses.values.first
    return response?.problem ?? "\(response?.status ?? 0)"
  }

  private let ada = Service.root + "/ada"

  @Test func `the delegate has the last word, even over admin`() {
    #expect(ask("GET", ada, by: "ada") == "200")
    #expect(ask("GET", ada, by: "eve") == "403 forbidden")
    #expect(ask("GET", ada + "/events", by: "eve") == "403 forbidden")
    #expect(ask("GET", ada + "/log", by: "eve") == "403 forbidden")
    #expect(
      ask("GET", "/v1/events?session=number/eve&session=number/ada", by: "eve") == "403 forbidden")
    #expect(ask("GET", "/v1/events?session=number/eve", by: "eve") == "200")
    #expect(ask("PUT", ada, by: "eve") == "403 forbidden")
    #expect(ask("DELETE", ada, by: "eve") == "403 forbidden")
    #expect(ask("DELETE", ada + "/effects/x", by: "eve") == "403 forbidden")
    #expect(ask("GET", ada, by: nil) == "401 unauthorized")
  }

  @Test func `a delegate decides on each action, before the first one is executed`() {
    let path = ada + "/actions"
    #expect(ask("POST", path, by: "ada", body: #"{"add":9}"#) == "200")
    #expect(ask("POST", path, by: "ada", body: #"{"add":10}"#) == "403 forbidden")
    #expect(ask("POST", path, by: "ada", body: #"[{"add":1},{"add":10}]"#) == "403 forbidden")
    #expect(ask("POST", path, by: "ada", body: #"{"add":"x"}"#) == "422 invalid-action")
    #expect(ask("POST", path, by: "eve", body: #"{"add":1}"#) == "403 forbidden")
    #expect(ask("GET", ada + "?version=1", by: "ada") == "200")
    #expect(ask("GET", ada + "?version=2", by: "ada") == "404 unknown-version")
  }

  /// A delegate whose decision a test changes.
  private final class Gate: ReactorDelegate {
    typealias Reactor = NumberReactor
    let isOpen = Atomic(true)

    func authorize(_ access: Access<NumberReactor.Action>) throws {
      guard isOpen.load(ordering: .relaxed) else { throw Forbidden() }
    }
  }

  @Test(arguments: ["/v1/reactors/number/sessions/a/events", "/v1/events?session=number/a"])
  func `a delegate decides again on open streams`(target: String) throws {
    let gate = Gate()
    let host = Host([
      ReactorRegistration("number", summary: "A number", delegate: gate) {
        NumberReactor(effect: .never())
      }
    ])
    let api = ReactorAPI(
      host: host, settings: ReactorAPI.Settings(), logger: .silent,
      background: WorkerPool(width: 0))
    let parts = target.split(separator: "?").map(String.init)
    let responses = Recorder<HTTPResponse>()
    api.respond(
      to: HTTPRequest(
        method: "GET", path: parts[0], query: parts.count > 1 ? parts[1] : nil,
        headers: HTTPRequestHeaders([]), body: [], hasBody: false),
      reply: { responses.add($0) })
    guard case .stream(let stream)? = responses.values.first?.body else { throw NoStream() }
    let reader = Reader(stream)
    _ = reader.read()
    api.recheckStreams()
    #expect(reader.read().isEmpty)
    #expect(!reader.isFinished)
    gate.isOpen.store(false, ordering: .relaxed)
    #expect(reader.read().isEmpty)
    api.recheckStreams()
    #expect(reader.read().map { $0.hasPrefix("expired ") } == [true])
    #expect(reader.isFinished)
    reader.close()
  }

  @Test func `a delegate decides on new sessions and on the origin of forks`() {
    #expect(ask("POST", Service.root, by: "eve", body: #"{"id":"ada"}"#) == "403 forbidden")
    #expect(ask("POST", Service.root, by: "ada", body: #"{"id":"ada"}"#) == "201")
    #expect(
      ask("POST", Service.root, by: "eve", body: #"{"id":"eve","from":{"session":"ada"}}"#)
        == "403 forbidden")
  }
}
