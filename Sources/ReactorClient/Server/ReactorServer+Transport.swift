public import ClientCore
public import Foundation

#if os(Linux)
  internal import ClientSockets
#endif

extension ReactorServer {
  /// The transport that ``init(url:configuration:token:)`` uses.
  ///
  /// On Apple's platforms, and for `https`, this is ``URLSessionTransport``. On Linux, `http` uses
  /// plain sockets: `URLSession` of Foundation for Linux does not detect that a connection was lost
  /// after an earlier request, and waits for the timeout. Plain sockets ignore the proxies of the
  /// environment; pass a `URLSessionTransport` to use a proxy.
  ///
  /// - Parameters:
  ///   - url: The address of the server, with the path prefix of a proxy if there is one.
  ///   - connections: The connections for requests; streams have others.
  /// - Returns: The transport.
  public static func transport(for url: URL, connections: Int = 4) -> any ClientTransport {
    #if os(Linux)
      if let origin = HTTPOrigin(url) {
        return SocketTransport(to: origin, connections: connections)
      }
    #endif
    return URLSessionTransport(url: url, connections: connections)
  }
}

#if os(Linux)
  extension HTTPOrigin {
    /// The origin of an `http` URL; `nil` for any other URL.
    init?(_ url: URL) {
      guard url.scheme?.lowercased() == "http", let host = url.host, !host.isEmpty,
        let port = UInt16(exactly: url.port ?? 80)
      else { return nil }
      let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
      self.init(
        ServerAddress(host: name, port: port), prefix: url.path(percentEncoded: true))
    }
  }
#endif
