internal import Glibc

/// A folder that is removed with its owner.
final class TestFolder: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/reactord-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestFailure("no folder: errno \(errno)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in ["socket", "other"] { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  /// The type and permissions of a file, or `nil` without one.
  static func mode(of path: String) -> UInt32? {
    var status = stat()
    return lstat(path, &status) == 0 ? UInt32(status.st_mode) : nil
  }
}
