internal import ReactorStreams
public import Testing

/// Gives each test a serial context of its own, as a session has one.
///
/// `MainScheduler`, and with it every binder and driver, means the context of the process where nobody
/// runs one. That is shared with the tests that run at the same time, so there work may be done by
/// another thread a little later; here it is done at once.
public struct OwnSerialContext: SuiteTrait, TestTrait, TestScoping {
  /// Whether each test of a suite gets one.
  public var isRecursive: Bool { true }

  /// Runs a test in a new context.
  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let context = VirtualSerialContext(timer: TaskScheduler.instance)
    try await CurrentSerialContext.$value.withValue(context) { try await function() }
  }
}

extension Trait where Self == OwnSerialContext {
  /// Gives each test a serial context of its own: `@Suite(.ownSerialContext)`.
  public static var ownSerialContext: Self {
    Self()
  }
}
