import Foundation
import PublicTestData
import Testing

/// A small identity provider in a process of its own, see `provider.py`.
final class IdentityProvider: Sendable {
  private let process: ChildProcess
  let port: UInt16

  init() throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "provider.py").path
    process = try ChildProcess(
      PublicTestData.python.appending(path: "bin/python").path, ["-W", "ignore", script])
    let line = process.firstLine(within: .seconds(120))
    port = try #require(
      line.flatMap { UInt16($0) }, "The provider did not start: \(process.standardError)")
  }

  /// Returns the set of the provider's public keys.
  func keys() throws -> String { try HTTPClient(port: port).get("/jwks").text }

  /// Returns a token that is signed with the provider's newest key.
  func token(_ query: String) throws -> String {
    try HTTPClient(port: port).get("/token?\(query)").text
  }

  /// Adds a key, with which the provider signs from now on.
  func rotate() throws { _ = try HTTPClient(port: port).send("POST", "/rotate", body: []) }

  /// Removes all keys except the newest.
  func retire() throws { _ = try HTTPClient(port: port).send("POST", "/retire", body: []) }
}

extension String {
  /// The header field of a token.
  var asBearer: [String: String] { ["Authorization": "Bearer \(self)"] }
}
