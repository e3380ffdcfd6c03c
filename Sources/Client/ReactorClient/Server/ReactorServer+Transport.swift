public import ClientCore
public import Foundation

#if os(Linux)
  internal import CurlTransport
#endif

extension ReactorServer {
  /// The transport that ``init(url:configuration:token:)`` uses.
  ///
  /// On Apple's platforms this is ``URLSessionTransport``. On Linux it is a transport of libcurl:
  /// `URLSession` of Foundation for Linux does not detect that a connection was lost after an earlier
  /// request, and waits for the timeout.
  ///
  /// - Parameters:
  ///   - url: The address of the server, with the path prefix of a proxy if there is one.
  ///   - connections: The connections for requests; streams have others.
  /// - Returns: The transport.
  public static func transport(for url: URL, connections: Int = 4) -> any ClientTransport {
    #if os(Linux)
      if let origin = HTTPOrigin(url) {
        return CurlTransport(to: origin, connections: connections)
      }
    #endif
    return URLSessionTransport(url: url, connections: connections)
  }
}

#if os(Linux)
  extension HTTPOrigin {
    /// The origin of an `http` or `https` URL, or `nil` for any other URL.
    init?(_ url: URL) {
      let isSecure = url.scheme?.lowercased() == "https"
      guard isSecure || url.scheme?.lowercased() == "http", let host = url.host, !host.isEmpty,
        let port = UInt16(exactly: url.port ?? (isSecure ? 443 : 80))
      else { return nil }
      let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
      self.init(
        ServerAddress(host: name, port: port), isSecure: isSecure,
        prefix: url.path(percentEncoded: true))
    }
  }
#endif
