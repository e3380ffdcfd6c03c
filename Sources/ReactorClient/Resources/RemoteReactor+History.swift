public import ClientCore
internal import Foundation
public import ReactorCoding

/// An entry of a session's log: one mutation.
public struct RemoteLogEntry: Sendable {
  /// The version of the State after the mutation.
  public let version: Int

  /// The time of the mutation in ISO 8601.
  public let at: String

  /// The action that caused it; `nil` for the mutation of a global.
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

  /// Its progress from 0 to 1; `nil` if unknown.
  public let progress: Double?
}

extension RemoteReactor {
  /// The State at an earlier version, or the committed State now.
  ///
  /// - Throws: `Problem/Kind/unknownVersion` if it does not exist or is not retained.
  public func state(at version: Int? = nil) async throws(Problem) -> State {
    let query = version.map { "?version=\($0)" } ?? ""
    return try await client.sender.value(State.self, of: .get("\(path)/state\(query)"))
  }

  /// A page of the log.
  ///
  /// - Parameters:
  ///   - version: The entries after this version.
  ///   - limit: The maximum number of entries, from 1 to 1000.
  /// - Returns: The entries; fewer than `limit` also where the page is large. Empty at the end.
  /// - Throws: The problem of the response.
  public func log(after version: Int = 0, limit: Int = 100) async throws(Problem)
    -> [RemoteLogEntry]
  {
    let response = try await client.sender.response(
      to: .get("\(path)/log?after=\(version)&limit=\(limit)"))
    return (try response.document().root.elements ?? []).map(RemoteLogEntry.init)
  }

  /// Creates a session with the history of this one.
  ///
  /// - Parameters:
  ///   - version: The last version of the history; `nil` for all of it.
  ///   - id: The id of the new session; `nil` lets the server choose.
  /// - Returns: The new session.
  /// - Throws: The problem of the response, such as `Problem/Kind/unknownVersion`.
  public func fork(at version: Int? = nil, as id: String? = nil) async throws(Problem)
    -> RemoteReactor
  {
    var source: [JSONValue.Member] = [.init("session", .string(session))]
    if let version { source.append(.init("version", .number(JSONNumber(version)))) }
    var body: [JSONValue.Member] = [.init("from", .object(source))]
    if let id { body.append(.init("id", .string(id))) }
    let response = try await client.sender.response(
      to: .json("POST", "v1/reactors/\(name.percentEncoded)/sessions", .object(body)))
    let location = response.head["location"]?.split(separator: "/").last.map(String.init)
    guard let fork = location?.percentDecoded ?? id else {
      throw Problem(.notAServer, "The response has no Location", "Check proxies before the server.")
    }
    return RemoteReactor(name, fork, client, nil, nil)
  }

  /// Creates the session if it does not exist, or begins a new one after it has ended.
  ///
  /// - Returns: Its State.
  @discardableResult
  public func begin() async throws(Problem) -> State {
    let state = try await client.sender.value(State.self, of: TransportRequest("PUT", path))
    client.channel(key)?.begin()
    return state
  }

  /// Ends the session: its history is deleted.
  public func end() async throws(Problem) {
    _ = try await client.sender.response(to: TransportRequest("DELETE", path))
  }

  /// The running effects, the earliest first, at most 100.
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

extension String {
  /// The text without percent-encoding; ids of sessions contain ASCII only.
  fileprivate var percentDecoded: String { removingPercentEncoding ?? self }
}
