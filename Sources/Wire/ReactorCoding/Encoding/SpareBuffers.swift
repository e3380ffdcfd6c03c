internal import Synchronization

/// Retains the output buffer of one series for the next, which saves an allocation per mutation.
///
/// Thread-safe. While the buffer is in use, other series allocate their own.
public final class SpareBuffers: Sendable {
  private struct Spare: Sendable {
    // Proof: an output enters when it is uniquely referenced, and leaves through `take()`.
    nonisolated(unsafe) var output: JSONOutput?
  }

  /// Larger buffers are released instead of retained.
  private static let bound = 65_536

  private let spare = Mutex(Spare())

  /// Creates an empty store.
  public init() {}

  func take() -> JSONOutput? {
    spare.withLock { unsafe $0.output.take() }
  }

  /// Retains an output whose bytes were taken, unless an encoder that escaped from `encode(to:)`
  /// still references it.
  func keep(_ emptied: inout JSONOutput?) {
    guard isKnownUniquelyReferenced(&emptied), emptied?.bytes.capacity ?? 0 <= Self.bound
    else { return }
    let emptiedBuffers = Spare(output: emptied.take())
    spare.withLock { $0 = emptiedBuffers }
  }
}
