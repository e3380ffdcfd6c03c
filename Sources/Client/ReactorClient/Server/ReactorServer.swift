public import ClientCore
public import Foundation
public import ReactorStreams

/// A server that hosts reactors.
///
/// ```swift
/// let server = ReactorServer(url: URL(string: "https://api.example.org")!) { try await login.token() }
/// let counter = server.reactor(CounterReactor.self, "counter", session: "demo")
/// ```
///
/// Up to ``ClientConfiguration/sessionsPerStream`` sessions share one event stream, which resumes
/// without a gap after a restart of the server or a loss of the network. Create one `ReactorServer`
/// per server and credential. The connections are closed by ``close()``, or when the object and its
/// reactors are released.
public final class ReactorServer: Sendable {
  let lifetime: ClientLifetime

  var client: ClientLink { lifetime.client }

  /// Creates a client of a server.
  ///
  /// - Parameters:
  ///   - url: The address, `https://…` or `http://…`, with the path prefix of a proxy if there is one.
  ///   - configuration: The bounds of the client.
  ///   - token: Returns a valid access token. It is called before the first request, before the
  ///     expiry of the last token (`exp` of a JSON Web Token), and after the server has rejected
  ///     the token. One call serves all requests that wait. `nil` sends no token.
  public convenience init(
    url: URL, configuration: ClientConfiguration = ClientConfiguration(),
    token: (@Sendable () async throws -> String)? = nil
  ) {
    self.init(
      transport: Self.transport(for: url), configuration: configuration, token: token)
  }

  /// Creates a client that reaches its server by a transport.
  public init(
    transport: any ClientTransport, configuration: ClientConfiguration = ClientConfiguration(),
    token: (@Sendable () async throws -> String)? = nil
  ) {
    lifetime = ClientLifetime(ClientLink(transport, token, configuration))
  }

  /// The status of the streams; the current one first.
  public var connection: Observable<ConnectionStatus> {
    client.delivered(client.status.asObservable())
  }

  /// The problems of all reactors, and of actions from the offline queue.
  ///
  /// While the file of the offline queue cannot be read, that problem comes first.
  public var problems: Observable<Problem> {
    let (journal, problems) = (client.journal, client.problems.asObservable())
    return client.delivered(
      .deferred { journal?.problem.map { problems.startWith($0) } ?? problems })
  }

  /// Closes the streams, such as when an app enters the background.
  ///
  /// Actions are still sent.
  public func pause() {
    client.pause()
  }

  /// Opens the streams again and repeats pending actions immediately, including those of an offline
  /// queue that could not be read before.
  ///
  /// Call it when the app enters the foreground. On Apple's platforms the client detects itself that the
  /// network is available again.
  public func resume() {
    client.resume()
  }

  /// Closes all connections, and removes the stored States and the actions of the offline queue.
  ///
  /// Call it when the user signs out. It waits until the files are removed.
  public func eraseStoredData() {
    client.close()
    client.states?.erase()
    client.journal?.erase()
  }

  /// Closes all connections; pending actions stay in the offline queue, if there is one.
  public func close() {
    client.close()
  }
}

/// Closes a client when its server object and all of its reactors are released.
final class ClientLifetime: Sendable {
  let client: ClientLink

  init(_ client: ClientLink) {
    self.client = client
  }

  deinit {
    client.close()
  }
}
