internal import MicrohttpdServer
internal import ReactorHTTP
internal import ReactorPages
internal import ReactorTransport
internal import Telemetry
internal import TerminalClient
internal import Zlib

extension ServiceContext {
  /// Returns the settings of the HTTP API, with the parts that only the service can provide.
  ///
  /// - Parameter credentials: The files of keys and tokens.
  /// - Returns: The settings.
  /// - Throws: A `ConfigurationError` if one of the files cannot be used.
  func apiSettings(
    _ credentials: CredentialFiles
  ) throws(ConfigurationError) -> ReactorAPI.Settings {
    var settings = configuration.api
    settings.version = ServiceVersion.current
    settings.heartbeat = configuration.server.heartbeat
    settings.files = StaticFiles(
      PageFile.all.map {
        StaticFile(path: $0.path, mediaType: $0.mediaType, content: $0.content)
      })
    if configuration.compressionMinimum > 0 {
      settings.compression = ResponseCompression(minimum: configuration.compressionMinimum) {
        Gzip.compress($0)
      }
    }
    settings.folder = try pageFolder
    settings.hosts = acceptedHosts
    settings.authentication = try credentials.configuration()
    let cookie = credentials.settings.cookie
    settings.cookie = cookie.isEmpty ? nil : cookie
    return settings
  }

  /// The folder of `pages`, which must exist, or `nil` without the setting.
  private var pageFolder: PageFolder? {
    get throws(ConfigurationError) {
      guard !configuration.pages.isEmpty else { return nil }
      let folder = PageFolder(configuration.pages, hasFallback: configuration.hasFallbackPage)
      guard folder.exists else {
        throw .configuration(
          "pages: the folder \"\(configuration.pages)\" does not exist or cannot be opened")
      }
      return folder
    }
  }

  /// The names in `http.hosts`; without any, the loopback names on a loopback address.
  private var acceptedHosts: AcceptedHosts {
    let names = configuration.hostNames
    if names.contains("*") { return .any }
    if !names.isEmpty { return .names(names) }
    guard case .network(let host, _) = configuration.listen else { return .any }
    return Self.isLoopback(host) ? .loopback : .any
  }

  /// Logs a warning if clients of other machines can connect, and all of them may use the whole service.
  ///
  /// - Parameter endpoints: The addresses that the server listens on.
  func warnIfOpenToAll(_ endpoints: [MicrohttpdServer.Endpoint]) {
    guard !configuration.authentication.isUsed, (supervisor?.restarts ?? 0) == 0 else { return }
    let open = endpoints.compactMap { endpoint -> String? in
      guard case .network(let host, let port) = endpoint, !Self.isLoopback(host) else { return nil }
      return ListenAddress(host: host, port: UInt16(clamping: port)).url
    }
    guard !open.isEmpty else { return }
    logger.warning(
      "the service is open to all that can connect",
      [
        "address": open.joined(separator: " "),
        "remedy":
          "set auth.issuers, auth.tokens, auth.jwt.keys or auth.rules, or listen on a loopback address",
      ])
  }

  private static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || ClientAddress(host)?.isLoopback == true
  }
}
