/// A question to a running daemon: `GET /healthz`, as a container's health check asks it.
public struct HealthProbe: Sendable, Equatable {
  /// Whom to ask; the port is not 0.
  let address: ListenAddress

  /// The path to get.
  let path: String

  /// The address where a daemon that listens on `listen` can be reached from its own machine.
  init(listen: ListenAddress) {
    address =
      switch listen {
      case .network("0.0.0.0", let port): ListenAddress(host: "127.0.0.1", port: port)
      case .network("::", let port): ListenAddress(host: "::1", port: port)
      case .network, .unix: listen
      }
    path = "/healthz"
  }

  /// Reads `http://HOST[:PORT][/PATH]`; without a path it is `/healthz`, without a port 80.
  ///
  /// Returns `nil` for anything else, and for a path that could not stand in a request line.
  init?(url: String) {
    guard let url = ServerURL(url) else { return nil }
    address = url.address
    path = url.path.isEmpty || url.path == "/" ? "/healthz" : url.path
  }

  /// What is sent: one request, after which the server closes.
  var request: [UInt8] {
    let host = if case .network = address { "\(address)" } else { "localhost" }
    return Array("GET \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n".utf8)
  }

  /// The status code of an answer that begins with these bytes, `nil` where they are no answer.
  static func status(of answer: some Sequence<UInt8>) -> Int? {
    let line = String(decoding: answer.prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3 else {
      return nil
    }
    return Int(words[1])
  }
}
