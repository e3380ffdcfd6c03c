public import Foundation

/// Test cases that others published, as `config/install-python-packages` unpacked them.
///
/// `make test` installs them. Where somebody runs the tests without, the suites that need them say so
/// and are skipped.
public enum PublicTestData {
  /// What is wrong where ``isInstalled`` is false.
  public static let isMissing = "config/install-python-packages has not run"

  /// Whether the cases are there.
  public static let isInstalled = FileManager.default.fileExists(
    atPath: python.appending(path: "installed.txt").path)

  /// The Python environment: programs in `bin`.
  public static let python = root.appending(path: ".build/python")

  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// One case: a name, and its bytes.
  public struct Case: Sendable, CustomStringConvertible {
    /// The name that its authors gave it.
    public let name: String

    /// Where it is.
    public let file: URL

    /// The bytes of the case.
    public var bytes: [UInt8] {
      get throws { Array(try Data(contentsOf: file)) }
    }

    /// The name: what a report shows.
    public var description: String { name }
  }

  /// A file of an unpacked source archive.
  public static func file(_ path: String, of package: String) -> URL {
    python.appending(path: "archives").appending(path: package).appending(path: path)
  }

  /// The cases of JSONTestSuite whose names begin with `y_` (must be accepted), `n_` (must be
  /// refused) or `i_` (either).
  public static func jsonTestSuite(_ prefix: String) -> [Case] {
    cases(in: file("third-party/JSONTestSuite/test_parsing", of: "pyjson5")).filter {
      $0.name.hasPrefix(prefix)
    }
  }

  /// The files of a folder and of the folders in it, by name; none where it is not there.
  public static func cases(in folder: URL) -> [Case] {
    let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
    return paths.sorted().map { Case(name: $0, file: folder.appending(path: $0)) }
      .filter { (try? $0.file.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true }
  }
}
