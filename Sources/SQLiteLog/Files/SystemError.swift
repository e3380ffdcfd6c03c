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
}
