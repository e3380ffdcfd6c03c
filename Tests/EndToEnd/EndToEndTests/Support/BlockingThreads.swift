import Foundation
import Testing

/// An executor whose threads can block.
///
/// Swift's cooperative pool has too few threads for tests that block.
final class BlockingThreads: TaskExecutor {
  static let shared = BlockingThreads(count: 16)

  private let jobs = Watched<[UnownedJob]>([])

  private init(count: Int) {
    for _ in 0..<count {
      Thread.detachNewThread { [self] in
        while true { take().runSynchronously(on: asUnownedTaskExecutor()) }
      }
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.change { $0.append(job) }
  }

  private func take() -> UnownedJob {
    while true {
      if let job = jobs.takeFirst(within: .seconds(60)) { return job }
    }
  }
}

/// Runs the tests of a suite on threads that may block.
struct BlockingTrait: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  @concurrent func provideScope(
    for test: Test, testCase: Test.Case?,
    performing body: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(BlockingThreads.shared) { try await body() }
  }
}

extension Trait where Self == BlockingTrait {
  /// The trait of tests that wait for sockets.
  static var blocking: Self { Self() }
}
