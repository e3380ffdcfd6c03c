import LogTestSupport
import ReactorHost
import Testing

extension Host {
  /// Opens a session, and waits until its log is folded.
  func open(
    _ reactor: String, _ id: String, for intent: SessionIntent = .use
  ) throws -> any Session {
    let reactor = try #require(self.reactor(reactor))
    return try blocking { try await reactor.session(id, for: intent).session }
  }
}
