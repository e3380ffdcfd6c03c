/// The mode of a file, written as in `chmod`: `0660`.
public struct FilePermissions: Sendable, Equatable {
  /// The permission bits.
  public let mode: UInt32

  /// Creates permissions from the lower nine bits.
  public init(mode: UInt32) { self.mode = mode & 0o777 }

  /// Parses three octal digits with an optional leading zero, or returns `nil` for anything else.
  public init?(_ text: String) {
    guard (3...4).contains(text.utf8.count), text.utf8.count == 3 || text.hasPrefix("0"),
      text.utf8.allSatisfy({ (0x30...0x37).contains($0) }), let mode = UInt32(text, radix: 8)
    else { return nil }
    self.init(mode: mode)
  }
}

extension FilePermissions: CustomStringConvertible {
  /// Four octal digits.
  public var description: String {
    let digits = String(mode, radix: 8)
    return String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }
}
