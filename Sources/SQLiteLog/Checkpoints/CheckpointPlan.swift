/// Decides when what the write-ahead log holds is brought into the database, and by whom.
///
/// ```
///            enough pages                little is left                the log starts over
/// resting ─────────────────▶ passing ─────────────────▶ closing ─────────────────▶ resting
/// ```
///
/// A pass goes on beside commits, which add to the log meanwhile; so passes follow one another, as long as
/// each leaves less than the one before, until what is left is little. That is the writer's, between two
/// commits: only where nothing is left and nobody reads, the next commit starts the log over at its
/// beginning (https://sqlite.org/wal.html, "Avoiding Excessively Large WAL Files").
struct CheckpointPlan {
  /// How many pages make a checkpoint due.
  static let bound = 4000
  /// So few pages take the writer hardly longer than a commit.
  static let rest = 64
  /// Where so many pages were added since the first of the passes began, the writer waits for the one
  /// that is under way and does the rest, however much it is.
  static let most = 12_000

  /// What a commit makes necessary.
  enum Step: Equatable {
    case nothing
    /// Another thread begins to pass over the log.
    case pass
    /// The writer brings over the rest itself, once no pass is under way.
    case close
  }

  private enum Phase: Equatable {
    case resting
    /// A pass is under way, before which so many pages were left.
    case passing(Int)
    case closing
  }

  private var phase = Phase.resting
  /// The pages in the log.
  private var length = 0
  /// How many of them, from its beginning, are in the database.
  private var covered = 0
  /// The pages in the log when the first of the passes began.
  private var begun = 0
  /// Up to what length there is nothing to do.
  private var due = Self.bound

  /// The writer has committed, and the log has so many pages.
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
  ///   - length: The pages that were in the log when it began.
  ///   - left: How many of them are not in the database, because somebody reads what was before.
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

  /// The writer has brought over the rest, but for what somebody reads; it does so again if the log
  /// does not start over.
  mutating func closed(left: Int) {
    covered = length - left
    due = length + Self.rest
  }

  /// What was begun has failed; it is tried again when there is more.
  mutating func failed() { wait(for: Self.rest) }

  private mutating func startOver() {
    covered = 0
    begun = 0
    due = Self.bound
    // A pass that is under way ends by itself.
    if phase == .closing { phase = .resting }
  }

  private mutating func wait(for pages: Int) {
    phase = .resting
    due = max(Self.bound, length + pages)
  }
}
