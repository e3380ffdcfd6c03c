internal import ReactorHost

extension ReactorAPI {
  func showMetrics(_ request: HTTPRequest) throws(Problem) -> HTTPResponse {
    // What Prometheus asks for may be a newer form first; the plain one is always among it.
    try negotiate(request, "text/plain")
    var text = MetricsText()
    host.write(to: &text)
    requestCounts.write(to: &text)
    channels.counts.write(to: &text)
    rateLimiter?.write(to: &text)
    for source in settings.metrics { source.write(to: &text) }
    return HTTPResponse(
      status: 200,
      headers: [
        "Content-Type": "text/plain; version=0.0.4; charset=utf-8", "Cache-Control": "no-store",
      ],
      body: .bytes(text.bytes))
  }
}
