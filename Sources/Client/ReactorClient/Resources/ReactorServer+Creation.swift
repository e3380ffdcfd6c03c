public import ClientCore
internal import ReactorCoding
public import ReactorCore

extension ReactorServer {
  /// Creates a session with an id that the server chooses.
  ///
  /// The request is not repeated if its response is lost: a session that no client knows can then
  /// exist. ``RemoteReactor/begin()``, with an id that the client chooses, can be repeated.
  ///
  /// - Parameters:
  ///   - type: The type of the reactor, or its `ReactorInterface` alone.
  ///   - name: The name under which the server hosts it.
  /// - Returns: The session.
  /// - Throws: The problem of the response.
  public func newSession<Interface: ReactorInterface>(
    of type: Interface.Type, _ name: String
  ) async throws(Problem) -> RemoteReactor<Interface> {
    let id = try await client.sender.create(name, nil, nil, from: nil)
    return reactor(type, name, session: id)
  }

  /// Creates a session with parameters and with an id that the server chooses.
  ///
  /// - Parameters:
  ///   - type: The type of the reactor, or its `ReactorInterface` alone.
  ///   - name: The name under which the server hosts it.
  ///   - parameters: The parameters, of the type that the reactor was registered with.
  /// - Returns: The session.
  /// - Throws: The problem of the response: kind `invalid-body` with a pointer if the parameters are of
  ///   another type.
  public func newSession<Interface: ReactorInterface>(
    of type: Interface.Type, _ name: String, with parameters: some Encodable & Sendable
  ) async throws(Problem) -> RemoteReactor<Interface> {
    let parameters = try JSONValue(parameters: parameters)
    let id = try await client.sender.create(name, nil, parameters, from: nil)
    return reactor(type, name, session: id)
  }
}

extension RequestSender {
  /// Creates a session and returns its id.
  func create(
    _ reactor: String, _ id: String?, _ parameters: JSONValue?, from source: JSONValue?
  ) async throws(Problem) -> String {
    var members: [JSONValue.Member] = []
    if let source { members.append(.init("from", source)) }
    if let id { members.append(.init("id", .string(id))) }
    if let parameters { members.append(.init("parameters", parameters)) }
    let response = try await response(
      to: .json("POST", "v1/reactors/\(reactor.percentEncoded)/sessions", .object(members)))
    let location = response.head["location"]?.split(separator: "/").last
    guard let created = location.flatMap({ String($0).percentDecoded }) ?? id else {
      throw Problem(
        .notAServer, "The response has no Location", "Check proxies before the server.")
    }
    return created
  }
}

extension JSONValue {
  /// Encodes the parameters of a session.
  init(parameters: some Encodable) throws(Problem) {
    do {
      self = JSONValue(try JSONDocument(parsing: JSONCoder.encode(parameters)).root)
    } catch {
      throw Problem(.invalidParameter, "The parameters cannot be encoded", "\(error)")
    }
  }
}
