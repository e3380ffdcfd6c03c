import Foundation

/// Whether the tests and the service were built with a sanitizer.
///
/// One brings an allocator of its own, so that memory and allocations say nothing then.
enum Sanitizer {
  static let isUsed = ProcessInfo.processInfo.environment["TESTS_SANITIZED"] != nil
}
