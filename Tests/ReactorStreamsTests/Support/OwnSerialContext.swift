import ReactorStreams
import Testing

/// Gives each test a serial context of its own, as a session has one.
///
/// The context of the process is shared with the tests that run at the same time, so there work may be
/// done by another thread a little later.
struct OwnSerialContext: SuiteTrait, TestTrait, TestScoping {
  private final class Context: SerialContext {
    private let queue = SerialQueue<@Sendable () -> Void>()

    var isCurrent: Bool {
      queue.isOwnedByCurrentThread
    }

    func perform(_ work: @escaping @Sendable () -> Void) {
      queue.post(work) { $0() }
    }
  }

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await CurrentSerialContext.$value.withValue(Context()) { try await function() }
  }
}

extension Trait where Self == OwnSerialContext {
  /// Gives each test a serial context of its own.
  static var ownSerialContext: Self {
    Self()
  }
}
