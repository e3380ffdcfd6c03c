import Testing

/// Runs the tests of a suite concurrently, at most two at a time.
///
/// Each test has a browser, which occupies a core and some hundred megabytes of memory.
struct BrowserTrait: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  @concurrent func provideScope(
    for test: Test, testCase: Test.Case?,
    performing body: @Sendable @concurrent () async throws -> Void
  ) async throws {
    await BrowserSlots.shared.take()
    do {
      try await BlockingTrait().provideScope(for: test, testCase: testCase, performing: body)
      await BrowserSlots.shared.release()
    } catch {
      await BrowserSlots.shared.release()
      throw error
    }
  }
}

extension Trait where Self == BrowserTrait {
  /// For tests with a browser.
  static var browser: Self { Self() }
}

/// The browsers that can be used at the same time.
private actor BrowserSlots {
  static let shared = BrowserSlots()

  private var free = 2
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func take() async {
    guard free == 0 else {
      free -= 1
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func release() {
    guard waiting.isEmpty else { return waiting.removeFirst().resume() }
    free += 1
  }
}
