#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The identity of the calling thread.
///
/// The standard library does not offer it, and a task-local value cannot replace it, because tasks on
/// other threads inherit it.
@usableFromInline
package enum CurrentThread {
  /// A number that is unique among the running threads; never 0.
  @usableFromInline
  package static var id: UInt {
    #if canImport(Darwin)
      unsafe UInt(bitPattern: pthread_self())
    #else
      UInt(bitPattern: Int(pthread_self()))
    #endif
  }
}
