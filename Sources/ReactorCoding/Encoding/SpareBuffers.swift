internal import Synchronization

/// Keeps what one series of values was encoded in for the next, so that it is allocated once and not
/// with every mutation.
///
/// Any thread. Who comes while it is lent gets buffers of its own.
public final class SpareBuffers: Sendable {
  /// Larger ones are not kept.
  private static let bound = 65_536

  private let buffers = Mutex(JSONOutput.Buffers())

  /// Makes a place without buffers.
  public init() {}

  func take() -> JSONOutput.Buffers {
    buffers.withLock { buffers in
      defer { buffers = JSONOutput.Buffers() }
      return buffers
    }
  }

  func keep(_ emptied: JSONOutput.Buffers) {
    guard emptied.bytes.capacity <= Self.bound else { return }
    buffers.withLock { $0 = emptied }
  }
}
