internal import ReactorHost
internal import ReactorLog

/// The findings of `reactord log verify`, and the result that they add up to.
struct StoreVerification {
  /// The results other than sound, the one that is reported first.
  ///
  /// The exit codes below 64 are of this command alone; a damaged store has that of `sysexits.h`.
  enum Result: Int32, CaseIterable {
    case damaged = 65
    case unreadable = 4
    case impure = 3
    case notReplayed = 5
  }

  /// The numbers of sessions, mutations and snapshots that were verified.
  private(set) var (sessions, mutations, snapshots) = (0, 0, 0)
  private var lines: [Result: [String]] = [:]
  /// The first difference of each reactor that is not pure.
  private var impurities: [(reactor: String, difference: String)] = []

  /// Adds damage of the store.
  mutating func add(damage: [String]) {
    lines[.damaged, default: []] += damage
  }

  /// Adds the result of a session.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - result: Its report, or the error that ended its verification.
  ///   - lacksChecksums: Whether entries of the session have no checksum. If so, a snapshot that differs
  ///     from the fold can be damage as well.
  mutating func add(
    _ session: SessionKey, _ result: Swift.Result<RefoldReport, LogError>,
    lacksChecksums: () throws -> Bool
  ) rethrows {
    sessions += 1
    let name = "\(session.reactor)/\(session.id)"
    switch result {
    case .success(let report):
      mutations += report.mutations
      snapshots += report.snapshots
      add(damage: report.findings.map { "\(name): \($0)" })
      guard let impurity = report.impurity else { return }
      if impurity.cause == .snapshot, try lacksChecksums() {
        add(damage: ["\(name): \(impurity), or the log was changed: its entries have no checksums"])
      } else {
        lines[.impure, default: []].append("\(name): \(impurity)")
        guard !impurities.contains(where: { $0.reactor == session.reactor }) else { return }
        impurities.append((session.reactor, "\(name), \(impurity)"))
      }
    case .failure(let error):
      if case .unreadable = error {
        lines[.unreadable, default: []].append("\(name): \(error)")
      } else {
        add(damage: ["\(name): \(error)"])
      }
    }
  }

  /// Adds the sessions of a reactor that the program does not host.
  mutating func add(unhosted reactor: String, sessions count: Int) {
    lines[.notReplayed, default: []].append(
      "\(reactor): \(count) sessions are not replayed, because this program does not host the reactor"
    )
  }

  /// All findings, one line each.
  var findings: [String] {
    Result.allCases.flatMap { lines[$0] ?? [] }
  }

  /// The result, or `nil` if the store is sound and all of it was replayed.
  var result: Result? {
    Result.allCases.first { lines[$0]?.isEmpty == false }
  }

  /// The sentence of the result, without a full stop.
  var sentence: String {
    switch result {
    case nil: "the store is sound"
    case .damaged: "the store is damaged: restore a backup, or export what is readable"
    case .unreadable:
      """
      the store is not damaged, but this release cannot read \(lines[.unreadable]?.count ?? 0) of its \
      sessions: start the release that has written them, or convert their mutations with upgradeMutation
      """
    case .impure:
      "the store is sound, and "
        + impurities.map { "the reactor \"\($0.reactor)\" is not pure: \($0.difference)" }
        .joined(separator: "; ")
    case .notReplayed:
      """
      the store is sound, but not all of it was replayed: verify it with the program that hosts its \
      other reactors
      """
    }
  }
}
