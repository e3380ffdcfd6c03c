internal import MicrohttpdServer
internal import ReactorHTTP
internal import ReactorPages
internal import ReactorTransport
internal import TerminalClient
internal import Zlib

extension ServiceContext {
  /// The settings of the HTTP API, with the parts that only the service can provide.
  ///
  /// - Parameter reactors: The names of the hosted reactors, which the token file may contain.
  /// - Returns: The settings.
  /// - Throws: A `ConfigurationError` if the token file cannot be used.
  func apiSettings(
    hosting reactors: [String]
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
    settings.hosts = acceptedHosts
    settings.tokens = try Self.tokens(in: configuration, hosting: reactors)
    return settings
  }

  /// The names in `http.hosts`; without any, the loopback names on a loopback address.
  private var acceptedHosts: AcceptedHosts {
    let names = configuration.hostNames
    if names.contains("*") { return .any }
    if !names.isEmpty { return .names(names) }
    guard case .network(let host, _) = configuration.listen else { return .any }
    return host == "localhost" || ClientAddress(host)?.isLoopback == true ? .loopback : .any
  }

  /// Reads the token file; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - configuration: The configuration that names the file.
  ///   - reactors: The names of the hosted reactors, which the file may contain.
  /// - Returns: The tokens.
  /// - Throws: A `ConfigurationError` if the file cannot be used.
  static func tokens(
    in configuration: Configuration, hosting reactors: [String]
  ) throws(ConfigurationError) -> AccessTokens? {
    let path = configuration.tokenFile
    guard !path.isEmpty else { return nil }
    let text: [UInt8]
    do throws(FileProblem) {
      text = try SmallFile.read(path, limit: 1_048_576)
    } catch {
      throw .configuration("auth.tokens: \(path): \(error.reason)")
    }
    let tokens: AccessTokens
    do throws(AccessTokens.SyntaxError) {
      tokens = try AccessTokens(String(decoding: text, as: UTF8.self))
    } catch {
      throw .configuration("auth.tokens: \(path): line \(error.line): \(error.message)")
    }
    let unknown = tokens.unknownReactors(hosted: reactors)
    guard unknown.isEmpty else {
      throw .configuration(
        "auth.tokens: \(path): no reactor is named \(unknown.joined(separator: ", "))")
    }
    return tokens
  }
}
