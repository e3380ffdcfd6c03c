package import Shares

/// The request that caused the current code, for calls of other services, log lines and decisions
/// about the user.
///
/// Available during `mutate` of an action that a client, another session or a timer sent, and in the
/// effects that it starts: in the closure of a task, in the subscription to a stream, and in work that returns through the
/// reactor's scheduler.
///
/// ```swift
/// return .run { send in
///   var request = URLRequest(url: url)
///   request.setValue(RequestContext.current?.traceparent, forHTTPHeaderField: "traceparent")
///   send(.setItem(try await api.item(request)))
/// }
/// ```
///
/// Do not read it in `reduce`: a fold of the log belongs to no request, so the property is `nil` there.
///
/// A stream that several reactors share carries no request from one to the other: the actions and
/// mutations that a reactor merges in from a shared stream have no request. The operators of the shared stream
/// itself are executed by the thread that emits the element, with the request of that thread.
///
/// It is not available in a detached task or on another scheduler. Read it before the code changes
/// to one.
public struct RequestContext: Sendable, Hashable {
  /// The request's id in the log and in the response's `X-Request-Id`.
  public let id: String

  /// The `traceparent` field of requests to other services (W3C Trace Context): the trace of the
  /// client's request with a span of this service, or `nil` if the client sent none.
  public let traceparent: String?

  /// The authenticated user or service that made the request, or `nil` for an anonymous request.
  ///
  /// An accepted action that runs again after a crash has the principal of its request.
  public let principal: Principal?

  /// The sender of the action.
  public let origin: ActionOrigin

  /// Whether an interrupted action runs again, after the end of its process or in another process of a
  /// cluster.
  ///
  /// Its earlier run may have had effects outside of the log.
  public package(set) var isRepetition: Bool

  /// The account of the client, which has the places of shared tables that the request holds, or `nil` for a
  /// request without a client.
  package var account: Account?

  /// A text for the credential of a client without a principal, or `nil` if it has none.
  package var credential: String?

  /// The owner of the idempotency keys of the request, or `nil` for the one of all clients without a credential.
  package var keyOwner: String? { principal?.id ?? credential }

  /// How long the sender waits for the outcome of its actions.
  package var wait = OutcomeWait.always

  /// The number of sends between sessions that led from the client's request to this one.
  package var depth = 0

  /// Whether no client waits for the action: a timer or the start of the process has caused it.
  package var isUnattended = false

  /// Whether the sessions that the request creates are not counted: an administrator sent it.
  package var isExempt = false

  /// Creates a context, for a host, a test or an in-process client.
  public init(
    id: String, traceparent: String? = nil, principal: Principal? = nil,
    origin: ActionOrigin = .client, isRepetition: Bool = false
  ) {
    self.id = id
    self.traceparent = traceparent
    self.principal = principal
    self.origin = origin
    self.isRepetition = isRepetition
  }

  /// The request that caused the current code, or `nil` for an action of the reactor itself, see
  /// ``ActionOrigin/current``.
  @TaskLocal public static var current: RequestContext?
}

extension RequestContext {
  /// Returns the context of a timer's action.
  package static func timer(_ id: String) -> RequestContext {
    var context = RequestContext(id: "timer-" + id, origin: .timer(id: id))
    context.isUnattended = true
    context.wait = .never
    return context
  }

  /// The fields of a log line.
  package var logFields: [(String, String)] {
    [("request", id)] + (traceparent.map { [("traceparent", $0)] } ?? [])
  }
}

/// How long the sender of actions waits for their outcome.
package enum OutcomeWait: Hashable, Sendable {
  /// Until they have ended.
  case always

  /// Until they have ended or are durable, and not after a time, as of `Stopwatch`.
  case until(Int)

  /// Not at all.
  case never
}
