import ReactorCore
import ReactorHost
import ReactorStreams
import Testing

@testable import ReactorHTTP

/// The service over a host with one reactor, asked without a socket.
struct Service {
  let api: ReactorAPI
  let effect = PublishSubject<NumberReactor.Mutation>()

  init(
    log: any MutationLog = MemoryLog(), workers: Int = 0,
    host adjustHost: (inout HostSettings) -> Void = { _ in },
    settings adjust: (inout ReactorAPI.Settings) -> Void = { _ in }
  ) {
    var settings = ReactorAPI.Settings()
    settings.actionWait = .seconds(600)
    adjust(&settings)
    var hostSettings = HostSettings()
    adjustHost(&hostSettings)
    // What it adds tells how far it is, in tenths.
    let effect = effect.trackProgress { mutation in
      if case .add(let tenths) = mutation { Double(tenths) / 10 } else { nil }
    }
    let host = Host(
      [
        ReactorRegistration(
          "number", summary: "A number", exampleActions: [NumberReactor.Action.add(5)]
        ) {
          NumberReactor(effect: effect)
        }
      ], globals: [Global<String?>("motto", nil)], log: log, settings: hostSettings)
    // What is done in the background is done at once, so that a test can look at it.
    api = ReactorAPI(
      host: host, settings: settings, logger: .silent,
      background: WorkerPool(width: workers))
  }

  static let root = "/v1/reactors/number/sessions"

  /// Sends a request whose answer may come later.
  func start(
    _ method: String, _ target: String, _ headers: [(name: HTTPHeader, value: String)] = [],
    body: String? = nil
  ) -> Recorder<HTTPResponse> {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let responses = Recorder<HTTPResponse>()
    var headers = headers
    if body != nil, !headers.contains(where: { $0.name == .contentType }) {
      headers.append((.contentType, "application/json"))
    }
    api.respond(
      to: HTTPRequest(
        method: method, path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : nil,
        headers: HTTPRequestHeaders(headers), body: Array((body ?? "").utf8), hasBody: body != nil),
      answer: { responses.add($0) })
    return responses
  }

  /// Sends a request that is answered at once.
  func ask(
    _ method: String, _ target: String, _ headers: [(name: HTTPHeader, value: String)] = [],
    body: String? = nil
  ) throws -> HTTPResponse {
    let responses = start(method, target, headers, body: body).values
    #expect(responses.count == 1)
    return try #require(responses.first)
  }

  /// Runs actions in the session `demo`.
  @discardableResult
  func act(
    _ body: String, _ headers: [(name: HTTPHeader, value: String)] = []
  ) throws -> HTTPResponse {
    try ask("POST", "\(Self.root)/demo/actions", headers, body: body)
  }

  /// Adds one, so many times.
  func addOnes(_ count: Int) throws {
    for _ in 0..<count { try act(#"{"add":1}"#) }
  }

  /// Opens a stream of the session `demo`.
  func watch(
    _ query: String = "", _ headers: [(name: HTTPHeader, value: String)] = []
  ) throws -> Reader {
    try open("\(Self.root)/demo/events" + (query.isEmpty ? "" : "?\(query)"), headers)
  }

  /// Opens a stream.
  func open(
    _ target: String, _ headers: [(name: HTTPHeader, value: String)] = []
  ) throws -> Reader {
    let response = try ask("GET", target, headers)
    #expect(response.status == 200)
    guard case .stream(let stream) = response.body else {
      throw NoStream()
    }
    return Reader(stream)
  }

  /// The cursor of a version of the session `demo`.
  func cursor(_ version: Int) throws -> String {
    let tag = try ask("GET", "\(Self.root)/demo/state")[field: "ETag"] ?? ""
    let epoch = tag.dropFirst().prefix { $0 != "-" }
    return "\(epoch)-\(version)"
  }
}

struct NoStream: Error {}

extension HTTPResponse {
  /// A field of the head.
  subscript(field name: String) -> String? {
    headers[name]
  }

  /// The body as text; empty for a stream.
  var text: String {
    if case .bytes(let bytes) = body { String(decoding: bytes, as: UTF8.self) } else { "" }
  }

  /// What ends the type of a problem, with the status.
  var problem: String? {
    guard self[field: "Content-Type"] == "application/problem+json" else { return nil }
    let kind = text.split(separator: "\"").first { $0.hasPrefix("/problems/") } ?? ""
    return "\(status) \(kind.dropFirst("/problems/".count))"
  }
}
