internal import Identity
internal import Telemetry
internal import ReactorCoding
internal import ReactorHost
internal import ReactorTransport
internal import Synchronization

/// Probes, metrics and the OpenAPI document.
final class ServiceEndpoints: Sendable {
  private struct State {
    var table = EndpointTable([])
    var metrics: [any MetricsSource] = []
    /// `/openapi.json` and `/asyncapi.json` of the service and of its reactors, encoded at the first request.
    var documents: [DocumentKey: [UInt8]] = [:]
  }

  private struct DocumentKey: Hashable {
    let isOfStreams: Bool
    /// The only reactor that is described, or `nil` for the whole service.
    let reactor: String?
  }

  private let host: Host
  private let settings: ReactorAPI.Settings
  private let state = Mutex(State())
  private let samples = MetricsSamples()

  init(host: Host, settings: ReactorAPI.Settings) {
    self.host = host
    self.settings = settings
  }

  /// Sets the table that `/openapi.json` describes and the sources of `/metrics`.
  func describe(_ table: EndpointTable, metrics: [any MetricsSource]) {
    state.withLock { $0 = State(table: table, metrics: metrics) }
  }

  var all: [Endpoint] {
    let status = Operation.Response.Content.json(.component("Health"))
    return [
      Endpoint(
        .get, "/healthz", needs: nil, traits: [.probe, .servedWhileDraining],
        handler: health,
        operation: Operation("health", "Whether the process is alive", content: status)),
      Endpoint(
        .get, "/readyz", needs: nil, traits: .probe, handler: readiness,
        operation: Operation(
          "readiness",
          "Whether requests are served: 503 while joining and draining, and while the store cannot be "
            + "written",
          content: status)),
      Endpoint(
        .get, "/metrics", needs: .read, traits: .background, handler: showMetrics,
        operation: Operation(
          "metrics", "Metrics in the text format of Prometheus", content: .text("text/plain"))),
      Endpoint(
        .get, "/v1/samples", needs: .read, handler: listSamples,
        operation: Operation(
          "listSamples", "Samples of metrics of this process in the last hour",
          content: .json(.component("SampleList")))),
      Endpoint(
        .get, "/openapi.json", needs: .read, reach: .anything, traits: .background,
        handler: { [self] (call) throws(Problem) in try describeService(call, isOfStreams: false) },
        operation: Operation(
          "openAPI", "This document, or that of one reactor", parameters: [.describedReactor],
          content: .json(.inline(["type": "object"])), problems: [.unknownReactor])),
      Endpoint(
        .get, "/asyncapi.json", needs: .read, reach: .anything, traits: .background,
        handler: { [self] (call) throws(Problem) in try describeService(call, isOfStreams: true) },
        operation: Operation(
          "asyncAPI", "AsyncAPI 3 of all streams, or of those of one reactor",
          parameters: [.describedReactor],
          content: .json(.inline(["type": "object"])), problems: [.unknownReactor])),
      Endpoint(
        .get, "/llms.txt", needs: .read, reach: .anything, handler: summarize,
        operation: Operation(
          "llms", "A summary of the service and its reactors, in Markdown for language models",
          content: .text("text/plain"))),
    ]
  }

  private func health(_ call: Call) throws(Problem) -> HTTPResponse {
    try call.negotiate()
    return .status("ok")
  }

  private func readiness(_ call: Call) throws(Problem) -> HTTPResponse {
    try call.negotiate()
    guard host.logFailure == nil else {
      throw .unavailable("The storage cannot be written; the log contains the reason.")
    }
    let readiness = settings.readiness()
    if let problem = readiness.problem { throw .unavailable(problem) }
    guard let detail = readiness.detail else { return .status("ready") }
    let body = JSONValue.object([
      .init("status", .string("ready")), .init("detail", .string(detail)),
    ])
    return .json(body.bytes, headers: ["Cache-Control": "no-store"])
  }

  private func showMetrics(_ call: Call) throws(Problem) -> HTTPResponse {
    // Prometheus prefers a newer format and accepts the plain one too.
    try call.negotiate("text/plain")
    var text = MetricsText()
    for source in sources { source.write(to: &text) }
    return HTTPResponse(
      status: 200,
      headers: [
        "Content-Type": "text/plain; version=0.0.4; charset=utf-8", "Cache-Control": "no-store",
      ],
      body: .bytes(text.bytes))
  }

  /// The sources of `/metrics`.
  private var sources: [any MetricsSource] { state.withLock { $0.metrics } + settings.metrics }

  /// Records the sample of the current interval for `/v1/samples`, unless it was recorded.
  func takeSample() { samples.take(from: sources) }

  private func listSamples(_ call: Call) throws(Problem) -> HTTPResponse {
    try call.negotiate()
    return .json(samples.json.bytes, headers: ["Cache-Control": "no-store"])
  }

  private func describeService(
    _ call: Call, isOfStreams: Bool
  ) throws(Problem) -> HTTPResponse {
    try call.negotiate()
    let name = try call.query()["reactor"]
    if let name, host.reactor(name).map({ call.scope.maySee($0) }) != true {
      throw .unknownReactor
    }
    let document = state.withLock { state in
      let key = DocumentKey(isOfStreams: isOfStreams, reactor: name)
      if let document = state.documents[key] { return document }
      let document = OpenAPIDocument(
        state.table, host: host, files: settings.files, version: settings.version,
        prefix: settings.prefix, reactor: name)
      let value = isOfStreams ? AsyncAPIDocument(document).value() : document.value()
      let bytes = value.bytes
      state.documents[key] = bytes
      return bytes
    }
    return .json(document, headers: .revalidated)
  }

  private func summarize(_ call: Call) throws(Problem) -> HTTPResponse {
    try call.negotiate("text/plain")
    let text = ServiceSummary(
      table: state.withLock { $0.table },
      reactors: host.reactors.filter { call.scope.maySee($0) })
    return HTTPResponse(
      status: 200, headers: ["Content-Type": "text/plain; charset=utf-8"] + .revalidated,
      body: .bytes(Array(text.markdown.utf8)))
  }
}
