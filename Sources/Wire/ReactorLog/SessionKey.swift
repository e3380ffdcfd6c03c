/// The name of a session: its reactor and its id.
public struct SessionKey: Hashable, Sendable, CustomStringConvertible {
  /// The name under which the reactor is hosted.
  public let reactor: String

  /// The session's id, valid according to ``isValid(id:)``.
  public let id: String

  /// Creates a key.
  public init(reactor: String, id: String) {
    self.reactor = reactor
    self.id = id
  }

  /// The key in the form that clients use: `counter/demo`.
  public var description: String {
    "\(reactor)/\(id)"
  }

  /// Returns whether a text is a valid id: 1 to 128 of `A-Z a-z 0-9 . _ ~ -`, neither `.` nor `..`.
  public static func isValid(id: String) -> Bool {
    guard (1...128).contains(id.utf8.count) else { return false }
    var id = id
    // Not a loop over the string's view, which is several times slower: each request has an id.
    return id.withUTF8 { unsafe isValid($0) }
  }

  private static func isValid(_ id: UnsafeBufferPointer<UInt8>) -> Bool {
    var dots = 0
    for index in id.indices {
      switch unsafe id[index] {
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

  /// Returns a random id of 26 characters and 128 bits.
  public static func generatedID() -> String {
    Epoch.random(characters: 26)
  }
}
