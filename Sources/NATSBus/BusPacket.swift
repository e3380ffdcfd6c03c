/// Several requests or replies of one process in one message.
///
/// An element consists of its number (8 bytes), its length (4 bytes, both big-endian), and its
/// bytes.
struct BusPacket {
  /// The maximum size of a packet with several elements, in bytes.
  static let bound = 65_536

  private static let headSize = 12

  private(set) var bytes: [UInt8] = []
  /// The numbers in order.
  private(set) var numbers: [UInt64] = []

  init() {}

  /// Whether a request or reply of `count` bytes can be added; always true for an empty packet.
  func hasRoom(for count: Int) -> Bool {
    bytes.isEmpty || bytes.count + Self.headSize + count <= Self.bound
  }

  /// Adds a request or a reply.
  mutating func append(_ content: [UInt8], numbered number: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
    }
    let count = UInt32(clamping: content.count)
    for shift in stride(from: 24, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: count >> UInt32(shift)))
    }
    bytes += content
    numbers.append(number)
  }

  /// The requests or replies of a message, in order, up to the first one that is incomplete.
  static func contents(of message: [UInt8]) -> [(number: UInt64, bytes: [UInt8])] {
    var contents: [(number: UInt64, bytes: [UInt8])] = []
    var rest = message[...]
    while rest.count >= headSize {
      let number = rest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
      let count = Int(rest.dropFirst(8).prefix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) })
      rest = rest.dropFirst(headSize)
      guard count <= rest.count else { break }
      contents.append((number, Array(rest.prefix(count))))
      rest = rest.dropFirst(count)
    }
    return contents
  }
}
