import Foundation

/// Installed programs.
enum Programs {
  /// Returns the path of the first installed program.
  ///
  /// - Throws: If none of them is installed.
  static func find(_ names: String...) throws -> URL {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    for name in names {
      for folder in folders + ["/usr/bin", "/usr/sbin"] {
        let path = "\(folder)/\(name)"
        if FileManager.default.isExecutableFile(atPath: path) {
          return URL(fileURLWithPath: path)
        }
      }
    }
    throw BenchmarkError("there is no program \(names[0]); make bench installs it")
  }
}
