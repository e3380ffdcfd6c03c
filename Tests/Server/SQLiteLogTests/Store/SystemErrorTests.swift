import Glibc
import Testing

@testable import SQLiteLog

struct SystemErrorTests {
  @Test(arguments: [
    (
      EACCES, "/data/reactord.db",
      "Permission denied: make it writable for this user with chown 10001 /data"
    ),
    (
      EPERM, "/reactord.db",
      "Operation not permitted: make it writable for this user with chown 10001 /"
    ),
    (EACCES, "reactord.db", "Permission denied: make it writable for this user with chown 10001 ."),
    (ENOSPC, "/data/reactord.db", "No space left on device"),
  ])
  func `a file without permission has a remedy`(code: Int32, path: String, description: String) {
    #expect(SystemError(code: code).description(withRemedyFor: path, user: 10_001) == description)
  }
}
