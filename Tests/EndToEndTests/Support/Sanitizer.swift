import Foundation

/// Whether the tests and the service were built with a sanitizer.
///
/// One brings an allocator of its own, so that memory and allocations say nothing then.
enum Sanitizer {
  static let isUsed = ProcessInfo.processInfo.environment["TESTS_SANITIZED"] != nil

  /// How long a test waits for what has to come; with a sanitizer everything takes many times longer.
  static let patience = Duration.seconds(isUsed ? 60 : 10)
}
