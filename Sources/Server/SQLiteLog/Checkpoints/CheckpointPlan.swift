/// Decides when the write-ahead log is copied to the database, and by which thread.
///
/// ```
///            enough pages                little is left                the log starts over
/// resting ─────────────────▶ passing ─────────────────▶ closing ─────────────────▶ resting
/// ```
///
/// Commits add pages during a pass, so passes follow each other as long as each leaves fewer pages than
/// the one before. The writer copies the rest between two commits: the next commit restarts the log at
/// its beginning only if all pages are copied and no reader uses them (https://sqlite.org/wal.html,
/// "Avoiding Excessively Large WAL Files").
struct CheckpointPlan {
  /// The number of pages that makes a checkpoint due.
  static let bound = 4000
  /// The number of pages that the writer copies in about the time of a commit.
  static let rest = 64
  /// The number of pages since the first pass began at which the writer waits for the running pass
  /// and copies the rest, however many pages it has.
  static let most = 12_000

  /// The next step after a commit.
  enum Step: Equatable {
    case nothing
    /// The checkpoint thread starts a pass.
    case pass
    /// The writer copies the rest itself, once no pass is running.
    case close
  }

  private enum Phase: Equatable {
    case resting
    /// A pass is running; the associated value is the number of pages that were left before it.
    case passing(Int)
    case closing
  }

  private var phase = Phase.resting
  /// The number of pages in the write-ahead log.
  private var length = 0
  /// The number of its first pages that were copied to the database.
  private var covered = 0
  /// The number of pages in the log when the first pass began.
  private var begun = 0
  /// The length of the log at which the next step is due.
  private var due = Self.bound

  /// Records a commit of the writer, and returns the next step.
  mutating func committed(length now: Int) -> Step {
    if now < length { startOver() }
    length = now
    switch phase {
    case .resting where length >= due, .closing where length - covered >= Self.bound:
      phase = .passing(.max)
      begun = length
      return .pass
    case .passing where length - begun >= Self.most:
      phase = .closing
      due = 0
      return .close
    case .closing where length >= due: return .close
    case .resting, .passing, .closing: return .nothing
    }
  }

  /// Records the end of a pass.
  ///
  /// - Parameters:
  ///   - length: The number of pages in the log when the pass began.
  ///   - left: The number of these pages that were not copied, because a reader prevented it.
  /// - Returns: Whether to start another pass.
  mutating func passed(length: Int, left: Int) -> Bool {
    guard case .passing(let before) = phase else { return false }
    covered = length - left
    let added = max(0, self.length - covered)
    if left > Self.rest {
      wait(for: Self.bound)
    } else if added > Self.rest, added < before {
      phase = .passing(added)
      return true
    } else {
      phase = .closing
      due = 0
    }
    return false
  }

  /// Records that the writer has copied the rest, except for pages that readers still use.
  ///
  /// The writer copies again after further commits if the log does not restart.
  mutating func closed(left: Int) {
    covered = length - left
    due = length + Self.rest
  }

  /// Records that a step failed; it is repeated after further commits.
  mutating func failed() { wait(for: Self.rest) }

  private mutating func startOver() {
    covered = 0
    begun = 0
    due = Self.bound
    // A running pass changes the phase itself when it ends.
    if phase == .closing { phase = .resting }
  }

  private mutating func wait(for pages: Int) {
    phase = .resting
    due = max(Self.bound, length + pages)
  }
}
