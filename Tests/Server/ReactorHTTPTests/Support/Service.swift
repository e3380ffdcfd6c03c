import Identity
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorStreams
import ReactorTransport
import Telemetry
import Testing

@testable import ReactorHTTP

/// The service over a host with one reactor, without a socket.
struct Service {
  let api: ReactorAPI
  let effect = PublishSubject<NumberReactor.Mutation>()

  init(
    log: any MutationLog = MemoryLog(), workers: Int = 0, adding endpoints: [Endpoint] = [],
    addingTo makeEndpoints: (Host) -> [Endpoint] = { _ in [] },
    reactors: [ReactorRegistration] = [], logger: Logger = .silent,
    expiries: StreamExpiries = StreamExpiries(),
    host adjustHost: (inout HostSettings) -> Void = { _ in },
    settings adjust: (inout ReactorAPI.Settings) -> Void = { _ in }
  ) {
    var settings = Self.settings
    let revocations = Global<[Revocation]>(Revocation.storedName, [])
    settings.revocations = revocations
    adjust(&settings)
    var hostSettings = HostSettings()
    // Without threads, background jobs are executed at once.
    hostSettings.backgroundThreads = workers
    adjustHost(&hostSettings)
    // The effect reports each added number as its progress, in tenths.
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
      ] + reactors, globals: [Global<String?>("motto", nil)], hidden: [revocations], log: log,
      settings: hostSettings, router: nil)
    api = ReactorAPI(
      host: host, settings: settings, logger: logger,
      background: host.background, adding: endpoints + makeEndpoints(host),
      expiries: expiries)
  }

  /// Settings whose wait for effects is longer than a stall of the machine.
  static var settings: ReactorAPI.Settings {
    var settings = ReactorAPI.Settings()
    settings.actionWait = .seconds(600)
    settings.files = files
    return settings
  }

  /// One file for each template of files.
  static let files = StaticFiles(
    ["", "page.css", "inspector/", "inspector/tree.js", "examples/", "examples/chat.html"].map {
      StaticFile(
        path: $0, mediaType: $0.isEmpty || $0.hasSuffix("/") ? "text/html" : "text/plain",
        content: Array($0.utf8))
    })

  static let root = "/v1/reactors/number/sessions"

  /// Sends a request; its response may come later.
  func start(
    _ method: String, _ target: String, _ headers: [(name: HTTPHeader, value: String)] = [],
    body: String? = nil, from peer: ClientAddress? = nil
  ) -> Recorder<HTTPResponse> {
    // Split by bytes: tests send text that is slow to compare as characters.
    let parts = target.utf8.split(
      separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false
    ).map { String(decoding: $0, as: UTF8.self) }
    let responses = Recorder<HTTPResponse>()
    var headers = headers
    if body != nil, !headers.contains(where: { $0.name == .contentType }) {
      headers.append((.contentType, "application/json"))
    }
    api.respond(
      to: HTTPRequest(
        method: method, path: parts[0], query: parts.count > 1 ? parts[1] : nil,
        headers: HTTPRequestHeaders(headers), body: Array((body ?? "").utf8), hasBody: body != nil,
        peer: peer),
      reply: { responses.add($0) })
    return responses
  }

  /// Sends a request that must have its response when the call returns.
  func ask(
    _ method: String, _ target: String, _ headers: [(name: HTTPHeader, value: String)] = [],
    body: String? = nil
  ) throws -> HTTPResponse {
    let responses = start(method, target, headers, body: body).values
    #expect(responses.count == 1)
    return try #require(responses.first)
  }

  /// Submits actions to the session `demo`.
  @discardableResult
  func act(
    _ body: String, _ headers: [(name: HTTPHeader, value: String)] = []
  ) throws -> HTTPResponse {
    try ask("POST", "\(Self.root)/demo/actions", headers, body: body)
  }

  /// Submits a number of actions that each add one.
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
    try reader(of: try ask("GET", target, headers))
  }

  /// Opens a stream of the session `demo` whose response may come from another thread.
  func watchLater(_ query: String) async throws -> Reader {
    let responses = start("GET", "\(Self.root)/demo/events?\(query)")
    while responses.values.isEmpty { await Task.yield() }
    return try reader(of: try #require(responses.values.first))
  }

  /// Returns the reader of a stream.
  func reader(of response: HTTPResponse) throws -> Reader {
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

extension Authenticator.Configuration {
  /// Static tokens as a file lists them, and rules as `auth.rules` has them.
  static func tokens(_ file: String, rules: String = "[]") -> Self {
    var configuration = Self()
    configuration.staticTokens = try? StaticTokens(file)
    configuration.rules = (try? AccessRule.list(of: Array(rules.utf8))) ?? []
    return configuration
  }
}

extension HTTPResponse {
  /// A field of the head.
  subscript(field name: String) -> String? {
    headers[name]
  }

  /// The body as text; empty for a stream.
  var text: String {
    if case .bytes(let bytes) = body { String(decoding: bytes, as: UTF8.self) } else { "" }
  }

  /// The status and the last part of the type of a problem.
  var problem: String? {
    guard self[field: "Content-Type"] == "application/problem+json" else { return nil }
    let kind = text.split(separator: "\"").first { $0.hasPrefix("/problems/") } ?? ""
    return "\(status) \(kind.dropFirst("/problems/".count))"
  }
}
