#if PostgreSQL
  internal import PostgresLog
  internal import ReactorHost
  internal import ReactorLog
  internal import Telemetry

  /// Marks the actions of this process, and rejects those that crashed any process of the same store.
  final class SharedMarks: SharedMarking {
    /// The marks of this process, or `nil` without a supervisor, whose next process would read them.
    private let own: CrashMarks?
    private let shared: StoredQuarantine

    init(_ own: CrashMarks?, _ shared: StoredQuarantine) {
      self.own = own
      self.shared = shared
    }

    func share() throws(LogError) {
      guard let own else { return }
      let entries = own.entries.map { entry, digest in
        StoredQuarantine.Entry(
          session: entry.session, digest: digest.rawValue, action: entry.action, at: entry.at,
          signal: entry.signal)
      }
      guard !entries.isEmpty else { return }
      try shared.add(entries)
      own.clearQuarantine()
    }

    func begin(_ session: SessionKey, _ digest: ActionDigest, _ action: [UInt8]) -> ActionMark {
      own?.begin(session, digest, action) ?? ActionMark(place: -1)
    }

    func end(_ mark: ActionMark) { own?.end(mark) }

    var isQuarantineEmpty: Bool { shared.isEmpty && own?.isQuarantineEmpty ?? true }

    func isQuarantined(_ session: SessionKey, _ digest: ActionDigest) -> Bool {
      shared.contains(session, digest.rawValue) || own?.isQuarantined(session, digest) == true
    }

    var quarantined: [QuarantinedAction] {
      shared.entries.map { QuarantinedAction($0) } + (own?.quarantined ?? [])
    }

    func clearQuarantine() {
      own?.clearQuarantine()
      shared.clearLater()
    }

    func removeFromQuarantine(_ session: SessionKey) {
      own?.removeFromQuarantine(session)
      shared.removeLater(session)
    }
  }

  extension SharedMarks {
    func write(to text: inout MetricsText) {
      own?.write(to: &text, quarantined: quarantined.count)
    }
  }

  extension QuarantinedAction {
    /// Creates an entry from the shared quarantine of a store.
    init(_ entry: StoredQuarantine.Entry) {
      self.init(
        session: entry.session, action: entry.action, at: entry.at, signal: entry.signal)
    }
  }
#endif
