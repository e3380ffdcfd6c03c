import Foundation
import Glibc

/// What a machine does to a process at its worst, switched on and off while the process runs.
///
/// A small library, compiled from `faults.c` when it is first asked for and preloaded into the
/// process, stands between it and the system.
final class FaultyMachine: Sendable {
  /// A call that fails.
  enum Call: String, CaseIterable, Sendable {
    case sync
    case write
  }

  private let faults: TemporaryFolder
  private let files: TemporaryFolder
  private static let library = Result { try Library() }

  /// Makes a machine where nothing fails yet.
  ///
  /// - Parameter files: Where calls fail; all others work.
  /// - Throws: Where the library cannot be compiled.
  init(files: TemporaryFolder) throws {
    faults = try TemporaryFolder()
    self.files = files
    _ = try Self.library.get()
  }

  /// What a process has to have in its environment.
  var environment: [String: String] {
    get throws {
      [
        "LD_PRELOAD": try Self.library.get().path, "FAULTS": faults.path,
        "FAULTY_FILES": files.path,
      ]
    }
  }

  /// Has calls on files fail from now on.
  func fail(_ call: Call, with error: Int32 = EIO) throws {
    try put(call.rawValue, "\(error)")
  }

  /// Has everything work again, but for the clock.
  func mend() {
    for call in Call.allCases { try? FileManager.default.removeItem(atPath: faults[call.rawValue]) }
  }

  /// Sets the clock on the wall wrong.
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
      guard try compiler.wait(within: .seconds(60)) == .code(0) else {
        throw ChildProcess.Failure(description: compiler.standardError)
      }
    }
  }
}
