import Foundation

/// Whether the tests and the service were built with a sanitizer.
///
/// A sanitizer has its own allocator, so that memory and allocations are not comparable.
enum Sanitizer {
  static let isUsed = ProcessInfo.processInfo.environment["TESTS_SANITIZED"] != nil

  /// The time limit of waits for something that has to happen.
  ///
  /// It only ends tests that would hang, and is far above what a busy machine needs.
  static let timeout = Duration.seconds(300)
}
