internal import Synchronization

/// Keeps what one series of values was encoded in for the next, so that it is allocated once and not
/// with every mutation.
///
/// Any thread. Who comes while it is lent encodes in something new.
public final class SpareBuffers: Sendable {
  private struct Spare: Sendable {
    // Proof: an output comes here when nobody else has a reference to it, and leaves when it is taken.
    nonisolated(unsafe) var output: JSONOutput?
  }

  /// A larger one is not kept.
  private static let bound = 65_536

  private let spare = Mutex(Spare())

  /// Makes a place without anything.
  public init() {}

  func take() -> JSONOutput? {
    spare.withLock { $0.output.take() }
  }

  /// Keeps an output whose bytes were taken, unless somebody else has it: an encoder that a value
  /// holds on to could still write to it.
  func keep(_ emptied: inout JSONOutput?) {
    guard isKnownUniquelyReferenced(&emptied), emptied?.bytes.capacity ?? 0 <= Self.bound
    else { return }
    let kept = Spare(output: emptied.take())
    spare.withLock { $0 = kept }
  }
}
