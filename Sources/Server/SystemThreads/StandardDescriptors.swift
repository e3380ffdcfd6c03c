internal import Glibc

/// The descriptors 0, 1 and 2: standard input, output and error.
package enum StandardDescriptors {
  /// Opens `/dev/null` in place of those that are closed.
  ///
  /// Otherwise the first socket or database that the process opens becomes its standard error, and log
  /// lines are written into it. Call it before anything is opened.
  package static func openMissing() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free descriptor is the missing one: those below it are open.
      _ = unsafe open("/dev/null", O_RDWR)
    }
  }
}
