internal import Identity
internal import ReactorHost
internal import ReactorTransport

/// One entry of the endpoint table: the declaration of one method of one path.
///
/// Routing, `Allow`, `OPTIONS`, access rights, `/openapi.json`, and the labels of metrics and logs
/// are read from these entries. To add an endpoint, add an entry and its handler.
///
/// An immutable class, since each request looks its entry up.
final class Endpoint: Sendable {
  /// Responds to a request exactly once, immediately or later; an error that it throws is the
  /// response.
  typealias Handler = @Sendable (Call) throws(Problem) -> Void

  /// Deviations from the usual treatment.
  struct Traits: OptionSet, Sendable {
    let rawValue: Int

    /// The response is an event stream: served while draining, since any status except 200 stops a
    /// browser's `EventSource`, and the token may be a query parameter.
    static let stream = Traits(rawValue: 1)

    /// A probe of an orchestrator: exempt from rate limits and from the check of `Host`.
    static let probe = Traits(rawValue: 2)

    /// Served while the service is draining.
    static let servedWhileDraining = Traits(rawValue: 4)

    /// The response depends on `Accept`.
    static let negotiated = Traits(rawValue: 8)

    /// The handler takes longer than microseconds: it is executed on a background thread.
    static let background = Traits(rawValue: 16)

    /// The header fields are those of ``ActionFields``, read once for requests that repeat a head.
    static let takesActions = Traits(rawValue: 32)

    /// The handler requests the permission of the delegate, since the decision depends on the body.
    static let asksDelegate = Traits(rawValue: 64)

    /// Of a session with a projection, the response has nothing or what the client may see.
    ///
    /// Without this trait the endpoint needs the right `inspect` for a projected reactor, so that no response
    /// shows what the reactor hides.
    static let projected = Traits(rawValue: 128)

    /// The handler evaluates ``Preconditions``.
    static let takesPreconditions = Traits(rawValue: 256)
  }

  /// The path template (RFC 6570).
  let template: String
  /// The method; `HEAD` is served wherever `GET` is.
  let method: HTTPMethod
  /// The right that a request needs, or `nil` for a public endpoint.
  let right: Right?
  /// The target that the right must be granted for.
  let reach: AccessReach
  /// The access that the delegate of the reactor grants, or `nil` where the handler requests it, since it
  /// depends on the body.
  let delegateAccess: SessionAccess?
  let traits: Traits
  /// Whether the path exists for given parameters, or `nil` if it exists for all.
  let condition: (@Sendable (PathParameters) -> Bool)?
  /// The description in `/openapi.json`.
  let operation: @Sendable () -> Operation
  /// The names of the parameters of the query.
  let parameterNames: ParameterNames
  let handler: Handler

  /// Whether a request with preconditions is rejected instead of executed without them.
  let rejectsPreconditions: Bool

  /// Creates an entry whose handler responds immediately or later.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - template: The path template; a part in braces is a parameter.
  ///   - right: The right that a request needs, or `nil` for a public endpoint.
  ///   - reach: The target that the right must be granted for; by default the session in the path, else
  ///     some session of the reactor in the path, else the service as a whole.
  ///   - access: The access that the delegate of a session's reactor grants; by default `read` for `read` and
  ///     `manage` for `manage`. The handler of an endpoint that needs `act` requests it per action.
  ///   - traits: Deviations from the usual treatment.
  ///   - condition: Whether the path exists for given parameters; by default it exists for all.
  ///   - handler: The function that responds.
  ///   - operation: The description in `/openapi.json`.
  init(
    _ method: HTTPMethod, _ template: String, needs right: Right?, reach: AccessReach? = nil,
    asks access: SessionAccess? = nil, traits: Traits = [],
    where condition: (@Sendable (PathParameters) -> Bool)? = nil,
    handler: @escaping Handler,
    operation: @escaping @autoclosure @Sendable () -> Operation
  ) {
    self.template = template
    self.method = method
    self.right = right
    self.reach = reach ?? AccessReach(template: template)
    delegateAccess =
      traits.contains(.asksDelegate)
      ? nil : access ?? (right == .read ? .read : right == .manage ? .manage : nil)
    self.traits = traits
    rejectsPreconditions =
      !method.isSafe && traits.isDisjoint(with: [.takesActions, .takesPreconditions])
    self.condition = condition
    self.operation = operation
    let parameters = operation().parameters
    parameterNames = ParameterNames(
      parameters.compactMap(\.queryName),
      repeatable: parameters.filter(\.isRepeatable).compactMap(\.queryName),
      isStream: traits.contains(.stream))
    self.handler = handler
  }

  /// Creates an entry whose handler returns the response.
  convenience init(
    _ method: HTTPMethod, _ template: String, needs right: Right?, reach: AccessReach? = nil,
    asks access: SessionAccess? = nil, traits: Traits = [],
    where condition: (@Sendable (PathParameters) -> Bool)? = nil,
    handler: @escaping @Sendable (Call) throws(Problem) -> HTTPResponse,
    operation: @escaping @autoclosure @Sendable () -> Operation
  ) {
    self.init(
      method, template, needs: right, reach: reach, asks: access, traits: traits, where: condition,
      handler: { (call) throws(Problem) in call.reply(try handler(call)) }, operation: operation())
  }

  /// Creates an entry whose handler is an `async` function, which background threads execute.
  ///
  /// With the trait `background`, the number of a client's requests that wait for a background thread is bounded.
  convenience init(
    _ method: HTTPMethod, _ template: String, needs right: Right?, reach: AccessReach? = nil,
    asks access: SessionAccess? = nil, traits: Traits = [],
    where condition: (@Sendable (PathParameters) -> Bool)? = nil,
    handler: @escaping @Sendable (Call) async throws(Problem) -> HTTPResponse,
    operation: @escaping @autoclosure @Sendable () -> Operation
  ) {
    self.init(
      method, template, needs: right, reach: reach, asks: access,
      // The handler begins on a background thread by itself.
      traits: traits.subtracting(.background), where: condition,
      handler: { (call) throws(Problem) -> Void in
        let body = { @Sendable () async throws(Problem) in try await handler(call) }
        traits.contains(.background) ? try call.respondInBackground(body) : call.respond(body)
      }, operation: operation())
  }
}
