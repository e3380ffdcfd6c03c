internal import Glibc

/// An `errno` with its description.
struct SystemError: CustomStringConvertible {
  let code: Int32

  /// The error of this thread's last failed call.
  static var current: SystemError { SystemError(code: errno) }

  var description: String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }

  /// The description with a remedy, for a file that could not be created or opened for writing.
  ///
  /// In a container, a bind mount belongs to a user of the host, and the process runs as a user of
  /// the image.
  func description(withRemedyFor path: String, user: uid_t = geteuid()) -> String {
    guard [EACCES, EPERM].contains(code) else { return description }
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    return "\(self): make it writable for this user with chown \(user) \(folder)"
  }
}
