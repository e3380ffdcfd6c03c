package import Shares
package import Telemetry
internal import ReactorLog

extension LogLevel {
  /// Returns the level of a line that a request of a client has caused: debug beyond the client's quota of lines.
  package func within(_ account: Account?) -> LogLevel {
    guard let account, self != .debug, self != .trace else { return self }
    return account.takeLine(at: Timestamp.now.milliseconds) ? self : .debug
  }
}
