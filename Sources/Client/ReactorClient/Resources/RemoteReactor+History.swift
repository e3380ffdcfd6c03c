public import ClientCore
public import ReactorCoding

/// An entry of a session's log: one mutation.
public struct RemoteLogEntry: Sendable {
  /// The version of the State after the mutation.
  public let version: Int

  /// The time of the mutation in ISO 8601.
  public let at: String

  /// The action that caused it, or `nil` for the mutation of a global.
  public let action: JSONValue?

  /// The mutation.
  public let mutation: JSONValue
}

/// A running effect of a session.
public struct RemoteEffect: Decodable, Sendable {
  /// The id, with which it can be cancelled.
  public let id: String

  /// The time of its start in ISO 8601.
  public let startedAt: String

  /// Its progress from 0 to 1, or `nil` if unknown.
  public let progress: Double?
}

extension RemoteReactor {
  /// Returns the State at an earlier version, or the current committed State.
  ///
  /// - Throws: `Problem/Kind/unknownVersion` if it does not exist or is not retained.
  public func state(at version: Int? = nil) async throws(Problem) -> State {
    let query = version.map { "?version=\($0)" } ?? ""
    return try await client.sender.value(State.self, of: .get("\(path)/state\(query)"))
  }

  /// Returns a page of the log.
  ///
  /// - Parameters:
  ///   - version: The entries after this version.
  ///   - limit: The maximum number of entries, from 1 to 1000.
  /// - Returns: The entries. A page of large entries can have fewer than `limit`; it is empty only
  ///   at the end of the log.
  /// - Throws: The problem of the response.
  public func log(after version: Int = 0, limit: Int = 100) async throws(Problem)
    -> [RemoteLogEntry]
  {
    let response = try await client.sender.response(
      to: .get("\(path)/log?after=\(version)&limit=\(limit)"))
    return (try response.document().root.elements ?? []).map(RemoteLogEntry.init)
  }

  /// Creates a session with the history of this one and with its parameters.
  ///
  /// - Parameters:
  ///   - version: The last version of the history, or `nil` for all of it.
  ///   - id: The id of the new session; `nil` lets the server choose.
  /// - Returns: The new session.
  /// - Throws: The problem of the response, such as `Problem/Kind/unknownVersion`.
  public func fork(at version: Int? = nil, as id: String? = nil) async throws(Problem)
    -> RemoteReactor
  {
    try await fork(at: version, as: id, parameters: .none)
  }

  /// Creates a session with the history of this one and with other parameters, with which the
  /// history is reduced again.
  ///
  /// - Parameters:
  ///   - version: The last version of the history, or `nil` for all of it.
  ///   - id: The id of the new session; `nil` lets the server choose.
  ///   - parameters: The parameters of the new session.
  /// - Returns: The new session.
  /// - Throws: The problem of the response, such as `Problem/Kind/unknownVersion`.
  public func fork(
    at version: Int? = nil, as id: String? = nil, with parameters: some Encodable & Sendable
  ) async throws(Problem) -> RemoteReactor {
    try await fork(at: version, as: id, parameters: JSONValue(parameters: parameters))
  }

  private func fork(
    at version: Int?, as id: String?, parameters: JSONValue?
  ) async throws(Problem) -> RemoteReactor {
    var source: [JSONValue.Member] = [.init("session", .string(session))]
    if let version { source.append(.init("version", .number(JSONNumber(version)))) }
    let id = try await client.sender.create(
      name, id, parameters, from: .object(source))
    return RemoteReactor(name, id, lifetime, nil, nil)
  }

  /// Creates the session if it does not exist, or begins a new one after it has ended.
  ///
  /// - Returns: Its State.
  @discardableResult
  public func begin() async throws(Problem) -> State {
    try await begin(parameters: nil)
  }

  /// Creates the session with parameters if it does not exist, or begins a new one after it has ended.
  ///
  /// - Parameter parameters: The parameters, of the type that the reactor was registered with.
  /// - Returns: Its State.
  /// - Throws: The problem of the response: kind `session-exists` if the session has other parameters,
  ///   `invalid-body` with a pointer if they are of another type.
  @discardableResult
  public func begin(with parameters: some Encodable & Sendable) async throws(Problem) -> State {
    try await begin(parameters: JSONValue(parameters: parameters))
  }

  private func begin(parameters: JSONValue?) async throws(Problem) -> State {
    let request =
      if let parameters {
        TransportRequest.json("PUT", path, .object([.init("parameters", parameters)]))
      } else {
        TransportRequest("PUT", path)
      }
    let state = try await client.sender.value(State.self, of: request)
    client.channel(key)?.begin()
    return state
  }

  /// Returns the parameters that the session was created with.
  ///
  /// - Parameter type: Their type; an optional one for a reactor without parameters.
  /// - Returns: The parameters.
  /// - Throws: The problem of the response, or kind `undecodable` if they are of another type.
  public func parameters<Parameters: Decodable>(
    as type: Parameters.Type
  ) async throws(Problem) -> Parameters {
    try await client.sender.value(type, of: .get("\(path)/parameters"))
  }

  /// Ends the session: its history is deleted.
  public func end() async throws(Problem) {
    _ = try await client.sender.response(to: TransportRequest("DELETE", path))
  }

  /// Returns the running effects, the earliest first, at most 100.
  public func effects() async throws(Problem) -> [RemoteEffect] {
    try await client.sender.value(EffectPage.self, of: .get("\(path)/effects")).effects
  }

  /// Cancels an effect; one that has ended is ignored.
  public func cancel(_ effect: RemoteEffect) async throws(Problem) {
    _ = try await client.sender.response(
      to: TransportRequest("DELETE", "\(path)/effects/\(effect.id.percentEncoded)"))
  }
}

private struct EffectPage: Decodable {
  let effects: [RemoteEffect]
}

extension RemoteLogEntry {
  fileprivate init(_ json: JSONElement) {
    version = json["version"]?.number?.integer(as: Int.self) ?? 0
    at = json["at"]?.string ?? ""
    action = json["action"].flatMap { $0.isNull ? nil : JSONValue($0) }
    mutation = json["mutation"].map { JSONValue($0) } ?? .null
  }
}
