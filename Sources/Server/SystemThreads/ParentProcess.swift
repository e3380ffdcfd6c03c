internal import CLinuxEvents
internal import Glibc

/// The process that started this one.
package enum ParentProcess {
  /// Kills this process when its parent ends; also when this process is stopped or hangs.
  ///
  /// Ends it immediately if the parent has ended already.
  ///
  /// - Parameter parent: The id of the parent, which must have started this process on its main thread.
  package static func follow(_ parent: Int32) {
    _ = end_with_parent(SIGKILL)
    if getppid() != parent { _exit(EXIT_FAILURE) }
  }
}
