import Foundation
import Glibc

/// Faults of a machine that can be switched on and off while a process runs.
///
/// The faults are in a library between the process and the system. It is compiled from `faults.c`
/// at the first use, and preloaded into the process.
final class FaultyMachine: Sendable {
  /// A system call that fails.
  enum Call: String, CaseIterable, Sendable {
    case sync
    case write
  }

  private let faults: TemporaryFolder
  private let files: TemporaryFolder
  private static let library = Result { try Library() }

  /// Creates a machine without faults.
  ///
  /// - Parameter files: The files whose calls fail; all others work.
  /// - Throws: If the library cannot be compiled.
  init(files: TemporaryFolder) throws {
    faults = try TemporaryFolder()
    self.files = files
    _ = try Self.library.get()
  }

  /// The environment in which to start the process.
  var environment: [String: String] {
    get throws {
      [
        "LD_PRELOAD": try Self.library.get().path, "FAULTS": faults.path,
        "FAULTY_FILES": files.path,
      ]
    }
  }

  /// Causes a system call on the files to fail with an error.
  func fail(_ call: Call, with error: Int32 = EIO) throws {
    try put(call.rawValue, "\(error)")
  }

  /// Ends all faults, except that of the clock.
  func mend() {
    for call in Call.allCases { try? FileManager.default.removeItem(atPath: faults[call.rawValue]) }
  }

  /// Sets the wall clock to a wrong time.
  func setClock(wrongBy seconds: Int) throws {
    try put("clock", "\(seconds)")
  }

  private func put(_ name: String, _ text: String) throws {
    try text.write(toFile: faults[name], atomically: true, encoding: .utf8)
  }

  private final class Library: Sendable {
    let path: String
    private let folder: TemporaryFolder

    init() throws {
      folder = try TemporaryFolder()
      path = folder["faults.so"]
      let source = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Durability/faults.c").standardizedFileURL.path
      let compiler = try ChildProcess(
        "/usr/bin/env", ["cc", "-shared", "-fPIC", "-O1", "-o", path, source, "-ldl"])
      guard try compiler.wait() == .code(0) else {
        throw ChildProcess.Failure(description: compiler.standardError)
      }
    }
  }
}
