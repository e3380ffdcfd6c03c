internal import Glibc

/// The migration of a store that an earlier release has written.
package struct StoreMigration: Equatable, Sendable {
  /// The versions of the tables before and after.
  package let from, to: Int

  /// The size of the store, in bytes.
  package let size: Int64

  /// The bytes that are free beside it.
  package let free: Int64

  /// The maximum size of the store while it is migrated, in bytes, as measured: 2.2 times its size with the
  /// migration that rewrites a table, otherwise 12 KiB more than its size.
  package var peak: Int64 {
    from < Schema.rewritingVersion ? size * 22 / 10 : size + Self.smallestGrowth
  }

  /// The space for new columns and tables.
  private static var smallestGrowth: Int64 { 1 << 20 }

  /// Describes the migration of a file.
  init(from version: Int, of path: String) {
    (from, to) = (version, Schema.version)
    size = ["", "-wal"].reduce(0) { sum, suffix in
      var status = stat()
      return unsafe stat(path + suffix, &status) == 0 ? sum + Int64(status.st_size) : sum
    }
    var system = statvfs()
    free =
      unsafe statvfs(path, &system) == 0
      ? Int64(clamping: system.f_bavail) * Int64(clamping: system.f_frsize) : 0
  }
}
