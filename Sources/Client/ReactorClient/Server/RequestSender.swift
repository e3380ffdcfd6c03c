internal import ClientCore
internal import ReactorCoding

/// Sends requests with the current access token.
final class RequestSender: Sendable {
  typealias Completion = @Sendable (Result<TransportResponse, Problem>) -> Void

  let transport: any ClientTransport
  let tokens: TokenStore

  init(_ transport: any ClientTransport, _ tokens: TokenStore) {
    self.transport = transport
    self.tokens = tokens
  }

  /// Sends a request, and repeats it once with a new token if the server rejects the token.
  func send(
    _ request: TransportRequest, isRepeated: Bool = false, completion: @escaping Completion
  ) {
    tokens.use { [self] token in
      switch token {
      case .failure(let problem): completion(.failure(problem))
      case .success(let token):
        transport.send(request.authorized(by: token)) { [self] result in
          if case .success(let response) = result, response.head.status == 401, token != nil {
            tokens.reject(token)
            if !isRepeated { return send(request, isRepeated: true, completion: completion) }
          }
          completion(result)
        }
      }
    }
  }

  /// Opens a stream; `opened` receives the connection and the token that it was opened with.
  func open(
    _ request: TransportRequest, receive: @escaping @Sendable (TransportEvent) -> Void,
    opened: @escaping @Sendable (any TransportConnection, String?) -> Void
  ) {
    tokens.use { [transport] token in
      switch token {
      case .failure(let problem): receive(.end(problem))
      case .success(let token):
        opened(transport.open(request.authorized(by: token), receive: receive), token)
      }
    }
  }

  /// Sends a request and returns its response.
  ///
  /// - Throws: The problem of a response that is not a success of the server, or of the transport.
  func response(to request: TransportRequest) async throws(Problem) -> TransportResponse {
    let result = await withCheckedContinuation { continuation in
      send(request) { continuation.resume(returning: $0) }
    }
    let response = try result.get()
    let status = response.head.status
    guard (200..<300).contains(status), status == 204 || response.hasJSON else {
      throw Problem(response)
    }
    return response
  }

  /// Sends a request and decodes the body of its response.
  func value<Value: Decodable>(
    _ type: Value.Type, of request: TransportRequest
  ) async throws(Problem) -> Value {
    try await response(to: request).decode(type)
  }
}

extension TransportRequest {
  fileprivate func authorized(by token: String?) -> TransportRequest {
    guard let token else { return self }
    var request = self
    request.fields.append(Field("Authorization", "Bearer \(token)"))
    return request
  }

  /// Returns a `GET` request for JSON.
  static func get(_ path: String, _ fields: [Field] = []) -> TransportRequest {
    TransportRequest("GET", path, fields: [Field("Accept", "application/json")] + fields)
  }

  static func json(_ method: String, _ path: String, _ body: JSONValue) -> TransportRequest {
    TransportRequest(
      method, path,
      fields: [Field("Accept", "application/json"), Field("Content-Type", "application/json")],
      body: body.bytes)
  }
}

extension TransportResponse {
  /// The body as JSON.
  func document() throws(Problem) -> JSONDocument {
    do {
      return try JSONDocument(parsing: body)
    } catch {
      throw Problem(
        .notAServer, "The response is not JSON",
        "Check that the URL is that of a reactord and that no proxy replaces its responses.")
    }
  }

  /// Decodes the body.
  func decode<Value: Decodable>(_ type: Value.Type) throws(Problem) -> Value {
    try StateJSON.document(document()).decode(type)
  }
}
