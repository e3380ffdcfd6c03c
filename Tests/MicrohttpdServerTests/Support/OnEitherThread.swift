internal import Testing

/// Runs each test twice: with a thread for the streams, and with one thread that does everything.
struct OnEitherThread: SuiteTrait, TestTrait, TestScoping {
  /// How many threads of their own the streams of a server get whose test does not say.
  @TaskLocal static var loops = 1

  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await function()
    try await Self.$loops.withValue(0, operation: function)
  }
}

extension Trait where Self == OnEitherThread {
  static var onEitherThread: OnEitherThread { OnEitherThread() }
}
