internal import ReactorCoding
internal import Synchronization

/// Measures the encoded states of a session, and decides which states need not be encoded.
///
/// Accessed in the session's serial context only: the atomics satisfy the compiler. Only
/// `isObserved` is written, and `retained` read, by other threads.
///
/// A state is not encoded if no observer receives it and a later state of the same turn replaces
/// it. To bound the size of a State nevertheless, a state is encoded and measured whenever it could
/// have reached the limit, provided that no mutation does more than double it and add twice the mutation's own
/// JSON: a State of a thousandth of the limit is measured with every tenth small mutation of a turn. The first
/// mutation of a turn and the last one are always encoded. The depth of a State is bounded in the same way: each mutation is
/// assumed to add its own depth and a few levels.
///
/// Stored inline in the session, which therefore needs no second object.
@usableFromInline
struct StateMeter: ~Copyable, Sendable {
  /// The size of the states that were encoded in the current turn, in bytes.
  var turnBytes: Int { bytes.load(ordering: .relaxed) }

  private let bytes = Atomic<Int>(0)
  /// The size that the state can have; 0 before the first state of the turn is measured.
  private let possibleBytes = Atomic<Int>(0)
  /// The depth that the state can have, unless a mutation adds more levels than assumed.
  private let depth = Atomic<Int>(0)
  private let isObserved = Atomic<Bool>(false)
  /// The bytes that the session retains to encode its next State, beside the State.
  private let retained = Atomic<UInt32>(0)

  /// The number of levels that a mutation is assumed to add besides its own depth.
  private static let addedLevels = 8

  /// Sets whether the session has observers, for which each state is encoded.
  func setObserved(_ isObserved: Bool) {
    self.isObserved.store(isObserved, ordering: .releasing)
  }

  /// Returns whether the state after a mutation need not be encoded.
  ///
  /// - Parameters:
  ///   - mutationBytes: The size of the mutation's JSON.
  ///   - mutationDepth: The depth of the nested arrays and objects of the mutation.
  ///   - limit: The maximum size of a state, in bytes.
  /// - Returns: Whether the state is skipped.
  @usableFromInline
  func skips(mutationBytes: Int, mutationDepth: Int, limit: Int) -> Bool {
    let size = possibleBytes.load(ordering: .relaxed)
    guard size > 0, !isObserved.load(ordering: .acquiring) else { return false }
    let possibleSize = 2 * (size + mutationBytes)
    guard possibleSize <= limit else { return false }
    let possible = depth.load(ordering: .relaxed) + mutationDepth + Self.addedLevels
    guard possible <= JSONDocument.embeddedDepthLimit else { return false }
    depth.store(possible, ordering: .relaxed)
    possibleBytes.store(possibleSize, ordering: .relaxed)
    return true
  }

  /// Measures the encoded state of a mutation before it is accepted.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - depth: The depth of its nested arrays and objects.
  ///   - limit: The maximum size of a state, in bytes.
  /// - Returns: The error that rejects the mutation, or `nil` if it is within the limit.
  @usableFromInline
  func measure(_ state: [UInt8], depth: Int, limit: Int) -> (any Error)? {
    let size = state.count
    guard size <= limit else { return StateTooLargeError(size: size, limit: limit) }
    bytes.store(turnBytes + size, ordering: .relaxed)
    self.depth.store(depth, ordering: .relaxed)
    possibleBytes.store(max(1, size), ordering: .relaxed)
    return nil
  }

  /// The memory that the session retains to encode its next State, beside the State, in bytes.
  var retainedBytes: Int { Int(retained.load(ordering: .relaxed)) }

  @usableFromInline func setRetained(_ bytes: Int) {
    retained.store(UInt32(clamping: bytes), ordering: .relaxed)
  }

  /// The State was encoded without the retained elements, whose text is then beside it, of about the same size.
  func didEncodeWhole(_ size: Int) {
    if retainedBytes > 0 { setRetained(retainedBytes + size) }
  }

  func endTurn() {
    bytes.store(0, ordering: .relaxed)
    possibleBytes.store(0, ordering: .relaxed)
  }
}
