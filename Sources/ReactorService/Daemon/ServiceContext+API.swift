internal import ReactorHTTP
internal import Zlib

extension ServiceContext {
  /// What the service in front of the host is told.
  func apiSettings() throws(ConfigurationError) -> ReactorAPI.Settings {
    var settings = ReactorAPI.Settings()
    settings.version = ServiceVersion.current
    settings.actionWait = configuration.actions.wait
    settings.streamBuffer = configuration.streams.buffer
    settings.streamSessions = configuration.streams.sessions
    settings.accessLog = configuration.log.access
    settings.requestRate = configuration.limits.rate
    settings.subscriberLimit = configuration.limits.subscribers
    settings.trustedProxies = configuration.http.proxies
    if configuration.http.compression > 0 {
      settings.compression = AnswerCompression(minimum: configuration.http.compression) {
        Gzip.compress($0)
      }
    }
    settings.crossOrigin = CrossOrigin(
      origins: configuration.cors.origins, allowsCredentials: configuration.cors.credentials,
      maxAge: Int(configuration.cors.maxAge.components.seconds))
    settings.tokens = try tokens()
    settings.takesTokenInQuery = configuration.auth.query
    return settings
  }

  private func tokens() throws(ConfigurationError) -> AccessTokens? {
    let path = configuration.auth.tokens
    guard !path.isEmpty else { return nil }
    let text: [UInt8]
    do throws(FileProblem) {
      text = try SmallFile.read(path, limit: 1_048_576)
    } catch {
      throw .configuration("auth.tokens: \(path): \(error.reason)")
    }
    do throws(AccessTokens.SyntaxError) {
      return try AccessTokens(String(decoding: text, as: UTF8.self))
    } catch {
      throw .configuration("auth.tokens: \(path): line \(error.line): \(error.message)")
    }
  }
}
