internal import Glibc

/// The listening sockets that a service manager hands over to a process that it starts
/// (sd_listen_fds(3)).
enum InheritedSockets {
  /// The first descriptor that is handed over.
  static let first: Int32 = 3

  /// More than this is a mistake.
  static let limit = 64

  /// The descriptors that the environment says are ours.
  ///
  /// - Parameters:
  ///   - environment: `LISTEN_PID` names the process that is meant, `LISTEN_FDS` how many there are.
  ///   - process: The id of this process.
  /// - Returns: The descriptors; none where the environment says nothing, or means another process.
  static func descriptors(_ environment: [String: String], process: Int32) -> [Int32] {
    guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == process,
      let count = environment["LISTEN_FDS"].flatMap({ Int($0) }), (1...limit).contains(count)
    else { return [] }
    return (0..<Int32(count)).map { first + $0 }
  }
}
