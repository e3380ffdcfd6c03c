internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport
internal import Shares

// Proof: all members are constants of types that are `Sendable`.
/// The data of a request that depends only on its head: requests that repeat a head share it.
final class HeadReading: HTTPHeadReading, @unchecked Sendable {
  let api: ReactorAPI
  let method: HTTPMethod
  /// The resource of the path, or `nil` for an unknown path.
  let resource: Resource?
  /// The endpoint, or `nil` for an unknown path or a method that is not allowed.
  let endpoint: Endpoint?
  /// Whether there is an endpoint, and it is served while the service is draining.
  let isServedWhileDraining: Bool
  private let parameters: PathParameters
  /// The reactor in the path, or `nil` if the path has none, or it is not hosted.
  let reactor: (any HostedReactor)?
  /// The session id in the path, or `nil` if the path has none, or it is invalid.
  let sessionID: String?
  /// The network address of the client, or `nil` on a Unix-domain socket.
  let client: ClientAddress?
  /// The account of the client by its address, or `nil` in the process of a test.
  let account: Account?
  /// The id that the client has chosen for its request, or `nil` for none or an invalid one.
  let requestID: String?
  /// The trace that the request belongs to.
  let trace: TraceParent?
  /// The value of `Origin` if pages of other origins are allowed.
  let origin: String?
  let acceptsGzip: ContentEncodings.Acceptance
  /// The name that the client has chosen in a service without authentication, for projections, or `nil` for
  /// none.
  let viewerName: String?
  /// Why the request is rejected for its `Host` or `Origin`, or `nil` if it is not.
  let foreign: Problem?

  /// The fields of a request with actions, or their problem, or `nil` for other endpoints.
  private let actionFields: Result<ActionFields, Problem>?

  /// Reads the head of a request, or returns the reading of an earlier request with the same head.
  static func reading(_ request: HTTPRequest, in api: ReactorAPI) -> HeadReading {
    if let known = request.head.reading as? HeadReading, known.api === api { return known }
    let reading = HeadReading(request, in: api)
    request.head.store(reading)
    return reading
  }

  private init(_ request: HTTPRequest, in api: ReactorAPI) {
    self.api = api
    var parameters = PathParameters()
    let resource = api.endpoints.match(request.path, &parameters)
    self.resource = resource
    self.parameters = parameters
    reactor = resource?.reactorPosition.flatMap { api.host.reactor(parameters[$0]) }
    sessionID = resource?.sessionPosition.flatMap { position in
      let id = parameters[position]
      return SessionKey.isValid(id: id) ? id : nil
    }
    method = HTTPMethod(request.method)
    let endpoint = resource?[method]
    self.endpoint = endpoint
    isServedWhileDraining =
      endpoint?.traits.isDisjoint(with: [.stream, .servedWhileDraining]) == false
    client = api.client(of: request)
    account =
      api.features.trustsProxies || request.head.account == nil && request.peer != nil
      ? api.ledger.account(of: ClientAddress.client(of: client)) : request.head.account
    requestID = request[header: .requestID].flatMap { RequestID.isValid($0) ? $0 : nil }
    trace = request[header: .traceparent].flatMap { TraceParent($0) }
    origin = api.features.allowsOrigins ? request[header: .origin] : nil
    acceptsGzip =
      api.features.compresses ? ContentEncodings.gzip(request[header: .acceptEncoding]) : .no
    viewerName =
      api.hasProjections && api.authenticator == nil
      ? (try? Query(request.query)).flatMap { try? $0.name("name") } : nil
    foreign = api.foreignRequest(request, at: resource, method)
    actionFields =
      endpoint?.traits.contains(.takesActions) == true
      ? Result { () throws(Problem) in try ActionFields(request) } : nil
  }

  /// Creates the reading for a connection that is rejected before its request was read.
  init(rejectedBy api: ReactorAPI) {
    self.api = api
    method = .other
    resource = nil
    endpoint = nil
    isServedWhileDraining = false
    parameters = PathParameters()
    reactor = nil
    sessionID = nil
    client = nil
    account = nil
    requestID = nil
    trace = nil
    origin = nil
    acceptsGzip = .no
    viewerName = nil
    foreign = nil
    actionFields = nil
  }

  /// Returns the fields of a request with actions.
  func actionFields(of request: HTTPRequest) throws(Problem) -> ActionFields {
    guard let actionFields else { return try ActionFields(request) }
    return try actionFields.get()
  }

  /// The value of a parameter of the path template, which must have it.
  subscript(parameter: String) -> String {
    guard let value = resource?.value(of: parameter, in: parameters) else {
      preconditionFailure("\(resource?.template ?? "the path") has no parameter \(parameter)")
    }
    return value
  }
}
