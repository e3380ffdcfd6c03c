import ReactorHost
import Testing

extension Host {
  /// Opens a session whose log reads complete immediately.
  func open(
    _ reactor: String, _ id: String, for intent: SessionIntent = .use
  ) throws -> any Session {
    let results = Recorder<Result<OpenedSession, SessionError>>()
    try #require(self.reactor(reactor)).session(id, for: intent) { results.add($0) }
    return try #require(results.values.first).get().session
  }
}
