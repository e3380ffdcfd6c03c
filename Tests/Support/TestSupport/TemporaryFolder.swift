internal import Foundation

/// A temporary folder that is deleted with the object.
public final class TemporaryFolder: Sendable {
  /// The path.
  public let path: String

  /// Creates the folder.
  public init() throws {
    path = NSTemporaryDirectory() + "reactord-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// A path in the folder.
  public subscript(name: String) -> String { "\(path)/\(name)" }
}
