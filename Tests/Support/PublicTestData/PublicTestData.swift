public import Foundation

/// Published test suites, unpacked by `config/install-python-packages`.
///
/// `make test` installs them; without them the suites that need them are skipped with a message.
public enum PublicTestData {
  /// The message of suites skipped because ``isInstalled`` is false.
  public static let isMissing = "config/install-python-packages has not run"

  /// Whether the test suites are installed.
  public static let isInstalled = FileManager.default.fileExists(
    atPath: python.appending(path: "installed.txt").path)

  /// The Python environment; its programs are in `bin`.
  public static let python = root.appending(path: ".build/python")

  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// A named test case.
  public struct Case: Sendable, CustomStringConvertible {
    /// The name given by its authors.
    public let name: String

    /// The file of the case.
    public let file: URL

    /// The content of the file.
    public var bytes: [UInt8] {
      get throws { Array(try Data(contentsOf: file)) }
    }

    /// The name, which test reports show.
    public var description: String { name }
  }

  /// Returns a file of an unpacked source archive.
  public static func file(_ path: String, of package: String) -> URL {
    python.appending(path: "archives").appending(path: package).appending(path: path)
  }

  /// Returns the cases of JSONTestSuite whose names begin with `y_` (must be accepted), `n_` (must
  /// be rejected) or `i_` (either).
  public static func jsonTestSuite(_ prefix: String) -> [Case] {
    cases(in: file("third-party/JSONTestSuite/test_parsing", of: "pyjson5")).filter {
      $0.name.hasPrefix(prefix)
    }
  }

  /// Returns the files of a folder, recursively and sorted; empty if it does not exist.
  public static func cases(in folder: URL) -> [Case] {
    let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
    return paths.sorted().map { Case(name: $0, file: folder.appending(path: $0)) }
      .filter { (try? $0.file.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true }
  }
}
