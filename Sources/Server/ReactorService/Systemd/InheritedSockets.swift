internal import FoundationEssentials
internal import Glibc

/// The listening sockets that a service manager passes to the process (sd_listen_fds(3)).
enum InheritedSockets {
  /// The first passed descriptor.
  static let first: Int32 = 3

  /// The maximum number of passed descriptors.
  static let limit = 64

  /// Returns the passed descriptors.
  ///
  /// - Parameters:
  ///   - environment: `LISTEN_PID` is the receiving process, `LISTEN_FDS` the number of descriptors.
  ///   - process: The id of this process.
  /// - Returns: The descriptors; empty if there are none or if they are for another process.
  static func descriptors(_ environment: [String: String], process: Int32) -> [Int32] {
    guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == process,
      let count = environment["LISTEN_FDS"].flatMap({ Int($0) }), (1...limit).contains(count)
    else { return [] }
    return (0..<Int32(count)).map { first + $0 }
  }
}

extension ServiceContext {
  /// Whether the service manager passes the sockets.
  var hasInheritedSockets: Bool {
    supervisor == nil
      && !InheritedSockets.descriptors(ProcessInfo.processInfo.environment, process: getpid())
        .isEmpty
  }
}
