/// The address of a session: the reactor's name and the session's id.
public struct SessionKey: Hashable, Sendable, CustomStringConvertible {
  /// The name under which the reactor is hosted.
  public let reactor: String

  /// The session's id: what ``isValid(id:)`` accepts.
  public let id: String

  /// Makes an address.
  public init(reactor: String, id: String) {
    self.reactor = reactor
    self.id = id
  }

  /// The address as clients write it: `counter/demo`.
  public var description: String {
    "\(reactor)/\(id)"
  }

  /// Whether a text can be a session's id: 1 to 128 of `A-Z a-z 0-9 . _ ~ -`, neither `.` nor `..`.
  public static func isValid(id: String) -> Bool {
    var id = id
    return id.withUTF8 { id in
      guard (1...128).contains(id.count) else { return false }
      var dots = 0
      for byte in id {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "~"),
          UInt8(ascii: "-"):
          break
        case UInt8(ascii: "."): dots += 1
        default: return false
        }
      }
      return dots != id.count || dots > 2
    }
  }

  /// An id for a session whose client names none: 26 characters, 128 random bits.
  public static func generatedID() -> String {
    Epoch.random(characters: 26)
  }
}
