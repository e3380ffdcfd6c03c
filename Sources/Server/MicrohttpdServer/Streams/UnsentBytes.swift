internal import Synchronization

/// The bytes that the streams of all threads have not sent, with a common bound.
///
/// A piece that several connections share counts once for each of them.
final class UnsentBytes: Sendable {
  private let limit: Int
  private let count = Atomic<Int>(0)

  init(limit: Int) { self.limit = limit }

  /// Whether streams hold more bytes than they may.
  var isExceeded: Bool { count.load(ordering: .relaxed) > limit }

  /// Records a change of the bytes of a connection.
  func change(by difference: Int) {
    if difference != 0 { count.add(difference, ordering: .relaxed) }
  }
}
