internal import ReactorStreams
public import Testing

/// Executes each test in a serial context of its own, as a session has one.
///
/// Outside of a session, `MainScheduler`, and with it each binder and driver, uses the context of the
/// process. Concurrent tests share that one, so another thread may execute the work later. With this
/// trait it is executed at once.
public struct OwnSerialContext: SuiteTrait, TestTrait, TestScoping {
  /// Whether the trait applies to each test of a suite.
  public var isRecursive: Bool { true }

  /// Executes a test in a new context.
  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let context = VirtualSerialContext(timer: TaskScheduler.instance)
    try await CurrentSerialContext.$value.withValue(context) { try await function() }
  }
}

extension Trait where Self == OwnSerialContext {
  /// Executes each test in a serial context of its own: `@Suite(.ownSerialContext)`.
  public static var ownSerialContext: Self {
    Self()
  }
}
