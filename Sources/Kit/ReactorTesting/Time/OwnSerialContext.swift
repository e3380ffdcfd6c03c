internal import ReactorStreams
public import Testing

/// Executes each test in its own serial context, as in a session.
///
/// Outside of a session, `MainScheduler`, and with it each binder and driver, uses the context of
/// the process. Concurrent tests share that context, so that another thread can execute the work
/// later. With this trait the work is executed immediately.
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
  /// Executes each test in its own serial context: `@Suite(.ownSerialContext)`.
  public static var ownSerialContext: Self {
    Self()
  }
}
