import Identity
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorStreams
import ReactorTransport
import Telemetry
import Testing

@testable import ReactorHTTP

/// A service with the session `t` of ``TableReactor``, and its users.
///
/// `host` has every right; `inspector` may also read what the reactor hides; every other user may act and read, and
/// sees its view.
struct Table {
  static let root = "/v1/reactors/table/sessions"

  let service: Service
  let effect = PublishSubject<TableReactor.Mutation>()

  init(
    log: any MutationLog = MemoryLog(changeRetention: .seconds(3_600)), workers: Int = 0,
    authenticates: Bool = true, logger: Logger = .silent,
    with own: Authenticator.Configuration? = nil
  ) throws {
    let configuration =
      try own
      ?? SignedToken.configuration(
        rules: """
          [{"allow":"act","to":"table/*"},{"allow":"act","to":"number/*"},
           {"allow":"manage","to":"table/*","if":{"sub":"manager"}},
           {"allow":"inspect","to":"table/*","if":{"sub":"inspector"}},
           {"allow":"admin","if":{"sub":"host"}}]
          """)
    let effect = effect
    service = Service(
      log: log, workers: workers,
      reactors: [
        ReactorRegistration("table", summary: "A table", projection: TableReactor.projection) {
          TableReactor(effect: effect.asObservable())
        }
      ], logger: logger, settings: { if authenticates { $0.authentication = configuration } })
  }

  static func token(_ user: String) -> [(name: HTTPHeader, value: String)] {
    [(.authorization, "Bearer \(SignedToken.make(#"{"sub":"\#(user)"}"#))")]
  }

  func ask(
    _ method: String, _ path: String, as user: String, body: String? = nil,
    _ headers: [(name: HTTPHeader, value: String)] = []
  ) throws -> HTTPResponse {
    try service.ask(
      method, path.hasPrefix("/v1/") || path == "/openapi.json" ? path : Self.root + path,
      Self.token(user) + headers, body: body)
  }

  /// Submits an action as `host`, which has no seat.
  @discardableResult
  func act(_ body: String, as user: String = "host") throws -> HTTPResponse {
    let response = try ask("POST", "/t/actions", as: user, body: body)
    #expect((200..<300).contains(response.status), "\(body): \(response.text)")
    return response
  }

  func seat(_ name: String, _ seat: Int) throws {
    try act(#"{"seat":{"_0":"\#(name)","_1":\#(seat)}}"#)
  }

  func deal(_ seat: Int, _ card: String) throws {
    try act(#"{"deal":{"_0":\#(seat),"_1":"\#(card)"}}"#)
  }

  func state(_ query: String = "", as user: String) throws -> HTTPResponse {
    try ask("GET", "/t/state" + query, as: user)
  }

  func watch(_ query: String = "", as user: String) throws -> Reader {
    try service.reader(
      of: try ask("GET", "/t/events" + (query.isEmpty ? "" : "?\(query)"), as: user))
  }
}
