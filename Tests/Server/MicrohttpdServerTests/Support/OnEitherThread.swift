internal import Testing

/// Runs each test twice: with a stream thread, and with one thread for requests and streams.
struct OnEitherThread: SuiteTrait, TestTrait, TestScoping {
  /// The number of stream threads of servers whose test does not specify it.
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
