/// The request that caused what runs now, for whoever calls other services or writes a log.
///
/// It holds while `mutate` runs for an action that a client sent, and in the effects that it starts:
/// in a task's closure, in what a stream does when it is subscribed to, and in what comes back
/// through the reactor's own scheduler.
///
/// ```swift
/// return .run { send in
///   var request = URLRequest(url: url)
///   request.setValue(RequestContext.current?.traceparent, forHTTPHeaderField: "traceparent")
///   send(.setItem(try await api.item(request)))
/// }
/// ```
///
/// A detached task, and a scheduler of somebody else's, do not have it; read it before.
public struct RequestContext: Sendable, Hashable {
  /// The request's name in the log, also answered to the client as `X-Request-Id`.
  public let id: String

  /// The value of the field `traceparent` for requests to others (W3C Trace Context): the trace of
  /// the client's request, with a span of the service's own; `nil` where the client sent none.
  public let traceparent: String?

  /// Makes a context; a host, a test or an in-process client calls this.
  public init(id: String, traceparent: String? = nil) {
    self.id = id
    self.traceparent = traceparent
  }

  /// The request that caused what runs now; `nil` for what no request caused.
  @TaskLocal public static var current: RequestContext?
}

extension RequestContext {
  /// The fields that a line of the log has for it.
  package var logFields: [(String, String)] {
    [("request", id)] + (traceparent.map { [("traceparent", $0)] } ?? [])
  }
}
