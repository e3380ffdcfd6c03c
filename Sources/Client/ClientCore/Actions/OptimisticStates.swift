/// The State that a client shows: the committed one, and on top of it the expected changes of
/// actions that have no response yet.
///
/// A State that arrives while the change of an action without a response is shown may or may not
/// contain that action; only the cursor of the response decides it. The State is therefore held
/// back until the response arrives or ``longestHold`` has passed, so that no change is shown twice
/// or flickers.
///
/// A value without side effects: the caller applies the changes, see ``layers``.
package struct OptimisticStates<State: Sendable>: Sendable {
  /// A State with its position.
  package struct Base: Sendable {
    package var state: State

    /// Its cursor, or `nil` for a State that the client assumed before the first one arrived.
    package var cursor: SessionCursor?
  }

  /// The expected change of an action.
  package typealias Change = @Sendable (State) -> State

  private struct Entry: Sendable {
    let id: UInt64
    let change: Change
    var isSent = false
    /// The cursor of the response, at which the State contains the action.
    var cursor: SessionCursor?
  }

  /// The longest time for which a State is held back.
  package static var longestHold: Duration { .seconds(1) }

  /// The latest committed State.
  package private(set) var confirmed: Base
  /// The State that the expected changes apply to: ``confirmed``, or the State before it while
  /// ``confirmed`` is held back.
  private var base: Base
  private var entries: [Entry] = []
  private var heldSince: Duration?

  /// Creates a stack without expected changes.
  package init(_ state: State) {
    confirmed = Base(state: state, cursor: nil)
    base = confirmed
  }

  /// The State, and the changes to apply to it, the oldest first.
  package var layers: (base: State, changes: [Change]) { (base.state, entries.map(\.change)) }

  /// The cursor of the State below the expected changes.
  package var cursor: SessionCursor? { base.cursor }

  /// Whether expected changes are shown.
  package var isOptimistic: Bool { !entries.isEmpty }

  /// When to call ``release(now:)``, or `nil` for never.
  package var deadline: Duration? { heldSince.map { $0 + Self.longestHold } }

  /// Adds the expected change of an action.
  package mutating func expect(_ id: UInt64, _ change: @escaping Change) {
    entries.append(Entry(id: id, change: change))
  }

  /// Records that an action was sent: from then on a State can contain it.
  package mutating func sent(_ id: UInt64) {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
    entries[index].isSent = true
  }

  /// Records a committed State; one that is not later than the known one only after a reset, when the server
  /// has lost the commits since then.
  package mutating func confirm(
    _ state: State, at cursor: SessionCursor, isReset: Bool = false, now: Duration
  ) {
    if !isReset, let known = confirmed.cursor, known.hasReached(cursor) { return }
    confirmed = Base(state: state, cursor: cursor)
    advance(now)
  }

  /// Records the response to an action.
  ///
  /// Without a cursor the action was rejected, and its change is removed.
  package mutating func answered(_ id: UInt64, at cursor: SessionCursor?, now: Duration) {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
    if let cursor { entries[index].cursor = cursor } else { entries.remove(at: index) }
    advance(now)
  }

  /// Shows a State that was held back for too long.
  package mutating func release(now: Duration) {
    guard let deadline, now >= deadline else { return }
    show()
  }

  private mutating func advance(_ now: Duration) {
    let isUncertain = entries.contains { $0.isSent && $0.cursor == nil }
    let isNew = base.cursor != confirmed.cursor
    guard isUncertain, isNew, base.cursor != nil else { return show() }
    if heldSince == nil { heldSince = now }
  }

  private mutating func show() {
    heldSince = nil
    base = confirmed
    guard let cursor = base.cursor else { return }
    // A cursor of another epoch is never reached: its change is removed as well.
    entries.removeAll { entry in
      entry.cursor.map { $0.epoch != cursor.epoch || cursor.hasReached($0) } ?? false
    }
  }
}
