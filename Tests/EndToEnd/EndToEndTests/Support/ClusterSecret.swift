import Foundation

/// The secret of the nodes of a cluster, in a file that is removed with this object.
final class ClusterSecret: Sendable {
  private let folder: TemporaryFolder

  /// Writes the file.
  init() throws {
    folder = try TemporaryFolder()
    try "a secret of more than 32 bytes for tests".write(
      toFile: folder["secret"], atomically: true, encoding: .utf8)
  }

  /// The settings that make a service with a store in PostgreSQL a node, without its name.
  var flags: [String] {
    ["--cluster-listen", "127.0.0.1:0", "--cluster-secret", folder["secret"]]
  }
}
