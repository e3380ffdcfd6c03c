internal import ClientCore

/// `reactord health`: a `GET /healthz` to a running server, for a container's health check.
public struct HealthProbe: Sendable, Equatable {
  /// The server to connect to, without the proxies of the environment.
  private let origin: HTTPOrigin

  /// The address to connect to.
  package var address: ServerAddress { origin.address }

  /// The path to get.
  package let path: String

  /// Creates a probe of a server on this machine that listens on `listen`.
  package init(listen: ServerAddress) {
    let address =
      switch listen {
      case .network("0.0.0.0", let port): ServerAddress(host: "127.0.0.1", port: port)
      case .network("::", let port): ServerAddress(host: "::1", port: port)
      case .network, .unix: listen
      }
    origin = HTTPOrigin(address, usesProxies: false)
    path = "/healthz"
  }

  /// Parses `http://HOST[:PORT][/PATH]`, or the same with `https`, where the path defaults to `/healthz`.
  ///
  /// Returns `nil` for anything else, and for a path that is invalid in a request line.
  package init?(url: String) {
    guard let url = ServerURL(url) else { return nil }
    origin = HTTPOrigin(url.address, isSecure: url.isSecure, usesProxies: false)
    path = url.path.isEmpty || url.path == "/" ? "/healthz" : url.path
  }

  /// Blocks until the response; returns if its status is 200.
  ///
  /// - Parameter timeout: The time without a byte after which the probe gives up, in seconds.
  /// - Throws: A failure if there is no response, or one with another status.
  package func execute(timeout: Int = 3) throws(CommandFailure) {
    let status: Int
    do throws(ConnectionFailure) {
      let request = TransportRequest(
        "GET", String(path.dropFirst()), timeout: .seconds(timeout))
      status = try Transfers(to: origin).response(to: request).head.status
    } catch {
      throw .rejected(error.detail)
    }
    guard status == 200 else {
      throw .rejected("\(address)\(path) responded with the status \(status)")
    }
  }
}
