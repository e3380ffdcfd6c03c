public import ReactorCore
public import ReactorLog

/// Marks the action that each thread executes, in memory that outlives a crash.
///
/// After a crash, the mark identifies the action that caused it. The next process quarantines that
/// action and rejects it.
public protocol ActionMarking: AnyObject, Sendable {
  /// The calling thread begins to execute code of a reactor.
  ///
  /// Called for each action and each output of an effect. It must not make a system call, allocate
  /// memory or take a lock.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - digest: The digest of the action; ``ActionDigest/session`` for a fold.
  ///   - action: The action, as JSON; empty for a fold.
  /// - Returns: The mark for ``end(_:)``.
  func begin(_ session: SessionKey, _ digest: ActionDigest, _ action: [UInt8]) -> ActionMark

  /// Clears the mark: the calling thread has executed the code.
  func end(_ mark: ActionMark)

  /// Whether nothing is quarantined. Called for each action.
  var isQuarantineEmpty: Bool { get }

  /// Returns whether an action of a session, or the session itself, is quarantined.
  ///
  /// Called for each action: costs nothing while nothing is quarantined.
  func isQuarantined(_ session: SessionKey, _ digest: ActionDigest) -> Bool

  /// The actions and sessions that are quarantined, in no order.
  var quarantined: [QuarantinedAction] { get }

  /// Empties the quarantine.
  func clearQuarantine()

  /// Removes the entries of a session, which was deleted.
  ///
  /// Costs nothing while nothing is quarantined.
  func removeFromQuarantine(_ session: SessionKey)
}

extension ActionMarking {
  /// Returns whether a reactor is quarantined as a whole, because its code crashed several processes in a minute.
  package func isQuarantined(reactor: String) -> Bool {
    !isQuarantineEmpty && isQuarantined(SessionKey(reactor: reactor, id: ""), .session)
  }

  /// Returns whether an action of a session is quarantined; computes the digest only if the
  /// quarantine is not empty.
  package func isQuarantined(_ session: SessionKey, _ action: [UInt8]) -> Bool {
    !isQuarantineEmpty && isQuarantined(session, ActionDigest(of: action))
  }
}

/// The mark of an action that a thread executes; only its ``ActionMarking`` interprets it.
public struct ActionMark: Sendable {
  /// The place of the mark; negative for none.
  public let place: Int

  /// Creates a mark.
  public init(place: Int) {
    self.place = place
  }

  /// No mark.
  @usableFromInline static let none = ActionMark(place: -1)

  /// The action is quarantined and must not be executed.
  static let rejected = ActionMark(place: -2)

  @usableFromInline var isRejected: Bool { place == Self.rejected.place }
}

/// A number that identifies the JSON of an action.
public struct ActionDigest: Hashable, Sendable {
  /// Not an action: the session itself.
  public static let session = ActionDigest(rawValue: 0)

  /// The number.
  public let rawValue: UInt64

  /// Creates a digest from its number.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Computes the digest of a JSON text (FNV-1a, never 0).
  public init(of json: [UInt8]) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in json { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    rawValue = max(1, hash ^ UInt64(json.count))
  }
}

/// An action, a session or a reactor that crashed the process and is not executed or loaded any more.
public struct QuarantinedAction: Equatable, Sendable {
  /// The session; its id is empty for a reactor as a whole.
  public let session: SessionKey

  /// The first bytes of the action's JSON, or `nil` if the session itself is quarantined.
  public let action: String?

  /// The time at which the crash was noticed.
  public let at: Timestamp

  /// The signal of the crash, such as `SIGILL`.
  public let signal: String

  /// Creates an entry.
  public init(session: SessionKey, action: String?, at: Timestamp, signal: String) {
    self.session = session
    self.action = action
    self.at = at
    self.signal = signal
  }
}

/// The error of an action that is quarantined.
public struct ActionCrashedError: ActionError, Equatable {
  /// Creates an error.
  public init() {}

  /// 500: the reactor caused the error.
  public var status: Int { 500 }

  /// A short sentence for people.
  public var title: String { "The action has crashed the service" }

  /// The reason and the remedy.
  public var detail: String? {
    "This action ended the process when it was executed in this session. It is not executed again "
      + "until an operator clears the quarantine."
  }
}
