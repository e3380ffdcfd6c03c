import Foundation
import PublicTestData
import Testing

/// A small identity provider in a process of its own, see `provider.py`.
final class IdentityProvider: Sendable {
  private let process: ChildProcess
  let port: UInt16

  /// Starts a provider.
  ///
  /// - Parameter form: `rsa` for keys as providers publish them.
  /// - Throws: If it does not start.
  init(_ form: String...) throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "provider.py").path
    process = try ChildProcess(
      PublicTestData.python.appending(path: "bin/python").path, ["-W", "ignore", script] + form)
    let line = process.firstLine()
    port = try #require(
      line.flatMap { UInt16($0) }, "The provider did not start: \(process.standardError)")
  }

  /// Returns the set of the provider's public keys.
  func keys() throws -> String { try HTTPClient(port: port).get("/jwks").text }

  /// Returns a token that is signed with the provider's newest key.
  func token(_ query: String) throws -> String {
    try HTTPClient(port: port).get("/token?\(query)").text
  }

  /// Returns a token with the claims of a JSON object.
  func token(claims: String) throws -> String {
    try HTTPClient(port: port).send("POST", "/token", body: Array(claims.utf8)).text
  }

  /// Opens streams with a token that expires in a few seconds, or in a minute on a busy machine.
  ///
  /// - Returns: The token, and three streams: of the session, of several sessions, and with a ticket.
  func streams(
    of session: SessionClient, with claims: String
  ) throws -> (token: [String: String], streams: [EventStream]) {
    let address = "/v1/events?session=\(session.reactor)/\(session.id)"
    for seconds in [3, 15, 60] {
      // The service accepts a token for 30 s after its expiry.
      let token = try token("\(claims)&exp=\(seconds - 30)").asBearer
      let response = try session.client.send("POST", "/v1/tickets", token)
      guard let ticket = try response.json["ticket"]?.string else { continue }
      let streams = [
        try session.events("", token), try EventStream(port: session.client.port, address, token),
        try session.events("?ticket=\(ticket)"),
      ]
      if streams.allSatisfy({ $0.head.status == 200 }) {
        #expect(
          try session.events("?ticket=\(ticket)").head.status == 401, "a ticket is valid once")
        return (token, streams)
      }
    }
    throw WireError.timedOut(waitingFor: "streams before the expiry of their token")
  }

  /// Adds a key, with which the provider signs from now on.
  func rotate() throws { _ = try HTTPClient(port: port).send("POST", "/rotate", body: []) }

  /// The value of `iss` for a service that reads the provider's configuration.
  var issuer: String { "http://127.0.0.1:\(port)" }

  /// Sets the status of the key set and of the configuration.
  func set(status: Int) throws {
    _ = try HTTPClient(port: port).send("POST", "/status?\(status)", body: [])
  }

  /// Removes all keys except the newest.
  func retire() throws { _ = try HTTPClient(port: port).send("POST", "/retire", body: []) }
}

/// Sends a request again while its response is 503: on a busy machine, a provider or a webhook can respond too late.
func whenDecided(_ request: () throws -> HTTPResponse) throws -> HTTPResponse {
  var response = try request()
  _ = try eventually {
    if response.status == 503 { response = try request() }
    return response.status != 503
  }
  return response
}

extension String {
  /// The header field of a token.
  var asBearer: [String: String] { ["Authorization": "Bearer \(self)"] }
}
