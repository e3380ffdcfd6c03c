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
  /// Copying so few pages takes the writer about as long as a commit.
  static let rest = 64
  /// After so many pages since the first pass began, the writer waits for the running pass and copies
  /// the rest, however long it is.
  static let most = 12_000

  /// The consequence of a commit.
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
  /// The number of them, from the beginning, that the database contains.
  private var covered = 0
  /// The pages in the log when the first pass began.
  private var begun = 0
  /// The length at which the next step is due.
  private var due = Self.bound

  /// The writer has committed.
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

  /// A pass has ended.
  ///
  /// - Parameters:
  ///   - length: The pages in the log when it began.
  ///   - left: The number of them that readers prevented from being copied.
  /// - Returns: Whether another pass is to follow.
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

  /// The writer has copied the rest, except for pages that readers still use.
  ///
  /// It copies again if the log does not restart.
  mutating func closed(left: Int) {
    covered = length - left
    due = length + Self.rest
  }

  /// The step failed; it is repeated after further commits.
  mutating func failed() { wait(for: Self.rest) }

  private mutating func startOver() {
    covered = 0
    begun = 0
    due = Self.bound
    // A running pass ends by itself.
    if phase == .closing { phase = .resting }
  }

  private mutating func wait(for pages: Int) {
    phase = .resting
    due = max(Self.bound, length + pages)
  }
}
