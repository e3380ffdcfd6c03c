internal import Glibc

/// Which thread runs.
///
/// The standard library has no name for it, and neither a task nor a task-local value tells threads
/// apart: a task-local one is inherited by tasks on other threads.
@usableFromInline
package enum CurrentThread {
  /// A number that no other living thread has; never 0.
  @usableFromInline
  package static var id: UInt {
    UInt(bitPattern: Int(pthread_self()))
  }
}
