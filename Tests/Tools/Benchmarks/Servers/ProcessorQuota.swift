import Foundation
import Glibc

/// Limits the processor time of a process with a control group of the kernel.
final class ProcessorQuota {
  /// The interval in which the process receives its share, in microseconds.
  private static let period = 20_000

  private let folder: String

  /// Creates a control group.
  ///
  /// - Parameters:
  ///   - name: Distinguishes the groups of a run.
  ///   - share: The part of one core.
  /// - Throws: If the control groups of the machine cannot be changed.
  init(_ name: String, share: Double) throws {
    let quota = Int(Double(Self.period) * share)
    let group = "reactord-bench-\(getpid())-\(name)"
    let root = "/sys/fs/cgroup"
    let controllers = try? String(
      contentsOfFile: root + "/cgroup.subtree_control", encoding: .utf8)
    if controllers?.split(separator: " ").contains("cpu") == true {
      folder = "\(root)/\(group)"
      try Self.create(folder)
      try Self.write("\(quota) \(Self.period)", to: folder + "/cpu.max")
    } else {
      folder = "\(root)/cpu/\(group)"
      try Self.create(folder)
      try Self.write("\(Self.period)", to: folder + "/cpu.cfs_period_us")
      try Self.write("\(quota)", to: folder + "/cpu.cfs_quota_us")
    }
  }

  deinit {
    // The kernel removes the group only after all of its processes have been reaped.
    rmdir(folder)
  }

  /// Limits a process and all of its threads.
  func limit(_ server: ServerUnderTest) throws {
    try Self.write("\(server.id)", to: folder + "/cgroup.procs")
  }

  private static func create(_ folder: String) throws {
    guard mkdir(folder, 0o755) == 0 || errno == EEXIST else {
      throw BenchmarkError("no limit of the processor: \(folder) cannot be created (root only)")
    }
  }

  private static func write(_ text: String, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    defer { close(descriptor) }
    guard descriptor >= 0, Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count else {
      throw BenchmarkError("no limit of the processor: \(path) cannot be written")
    }
  }
}
