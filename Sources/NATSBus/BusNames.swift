internal import ReactorLog

/// The subjects of a bus.
struct BusNames: Sendable {
  let prefix: String

  /// The subject of requests to a node.
  func requests(of node: NodeID) -> String { "\(prefix).b.q.\(tokens(of: node))" }

  /// The subject of a lane of messages to a node.
  func messages(of node: NodeID, lane: Int) -> String {
    "\(prefix).b.m.\(tokens(of: node)).\(lane)"
  }

  /// The subject of a node's broadcasts.
  func broadcasts(of node: NodeID) -> String { "\(prefix).b.a.\(tokens(of: node))" }

  /// The subject of all broadcasts.
  var allBroadcasts: String { "\(prefix).b.a.*.*" }

  /// The prefix of the subjects for replies to a process; the number of a reply follows it.
  func replies(of incarnation: UInt64) -> String {
    "\(prefix).b.r.\(String(incarnation, radix: 16))"
  }

  /// The number of the subject that receives packets of replies; no request has it.
  static let packetNumber: UInt64 = 0

  /// The subject for packets of replies to the process that sent a request with the reply subject
  /// `reply`, or `nil` if `reply` does not end with a number.
  static func packets(besides reply: String) -> String? {
    guard let dot = reply.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    return "\(reply[..<dot]).\(packetNumber)"
  }

  /// The tokens that identify a node: its name and its incarnation.
  ///
  /// Bytes of the name that are not letters, digits or `-` are written as `_` and two hexadecimal
  /// digits, so that different nodes have different tokens.
  private func tokens(of node: NodeID) -> String {
    var name = ""
    for byte in node.name.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        name.unicodeScalars.append(Unicode.Scalar(byte))
      default: name += (byte < 16 ? "_0" : "_") + String(byte, radix: 16)
      }
    }
    return "\(name.isEmpty ? "_" : name).\(String(node.incarnation, radix: 16))"
  }
}
