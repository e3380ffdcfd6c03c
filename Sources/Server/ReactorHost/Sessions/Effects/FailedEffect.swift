public import ReactorLog
internal import Synchronization

/// An action whose effect ended with an error, or stored work that this release cannot decode.
public struct FailedEffect: Sendable {
  /// The maximum size of an action that a list contains, in bytes of JSON.
  public static let actionLimit = 4096

  /// The place of stored work that this release cannot decode.
  public enum Blocked: Sendable {
    /// A timer, by its id.
    case timer(String)

    /// An accepted action, by the id of its effect; empty for the session as a whole.
    case effect(String)
  }

  /// The id of the session.
  public let session: String

  /// The action, as JSON, or `nil` if it has more than 4 KiB.
  public let action: [UInt8]?

  /// The id of the principal whose request caused it, or `nil` for none.
  public let principal: String?

  /// The time of the error.
  public let time: Timestamp

  /// The description of the error for clients.
  public let failure: ActionFailure

  /// The place of stored work that this release cannot decode, or `nil` for an error of an effect.
  public var blocked: Blocked?
}

/// The latest errors of the effects of one reactor in this process that a request waited for, and
/// the stored failures that this process has removed.
final class FailedEffects: Sendable {
  /// The maximum number of errors.
  static let limit = 100

  /// The ids of stored failures that were removed, the oldest first.
  private let settled = Mutex<[String]>([])
  private let entries = Mutex<[FailedEffect]>([])

  /// The errors, the latest first.
  var latest: [FailedEffect] { entries.withLock { $0.reversed() } }

  /// Adds an error, and drops the oldest one beyond the limit.
  func add(_ error: any Error, of action: [UInt8], in session: String, by principal: String?) {
    let entry = FailedEffect(
      session: session, action: action.count > FailedEffect.actionLimit ? nil : action,
      principal: principal, time: .now, failure: ActionFailure(index: nil, error))
    entries.withLock { entries in
      if entries.count == Self.limit { entries.removeFirst() }
      entries.append(entry)
    }
  }

  /// Records that a stored failure is removed.
  ///
  /// - Returns: `false` if it was removed before, and a list still had it.
  func settle(_ id: String) -> Bool {
    settled.withLock { settled in
      guard !settled.contains(id) else { return false }
      if settled.count == 10 * Self.limit { settled.removeFirst() }
      settled.append(id)
      return true
    }
  }

  /// Records that the log has rejected the removal of a failure.
  func unsettle(_ id: String) {
    settled.withLock { $0.removeAll { $0 == id } }
  }

  /// Drops the errors of a session that has ended.
  func remove(_ session: String) {
    entries.withLock { $0.removeAll { $0.session == session } }
  }
}
