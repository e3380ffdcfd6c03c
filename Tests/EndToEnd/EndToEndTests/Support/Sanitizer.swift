import Foundation

/// Whether the tests and the service were built with a sanitizer.
///
/// A sanitizer has its own allocator, so that memory and allocations are not comparable.
enum Sanitizer {
  static let isUsed = ProcessInfo.processInfo.environment["TESTS_SANITIZED"] != nil

  /// The time limit of waits for events that must occur.
  ///
  /// The limit only ends tests that would hang. It is far above the time that a busy machine needs.
  static let timeout = Duration.seconds(1200)
}
