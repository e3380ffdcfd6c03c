package import Shares

/// The network address of a client: IPv6, or IPv4 as IPv6 writes it (`::ffff:192.0.2.1`).
package struct ClientAddress: Hashable, Sendable {
  /// The first eight bytes in network order.
  package let high: UInt64
  /// The last eight bytes in network order.
  package let low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates an IPv4 address; its first byte is the most significant.
  package init(version4 address: UInt32) {
    high = 0
    low = 0xFFFF_0000_0000 | UInt64(address)
  }

  /// Creates an IPv6 address from 16 bytes, or returns `nil` for another count.
  package init?(version6 bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 else { return nil }
    high = unsafe bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    low = unsafe bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Whether this is an IPv4 address.
  package var isVersion4: Bool { high == 0 && low >> 32 == 0xFFFF }

  /// The unit that limits count as one client: an IPv4 address or an IPv6 /64 network.
  package var network: ClientAddress { isVersion4 ? self : ClientAddress(high: high, low: 0) }

  /// The client that bounds count an address for; `nil` is that of a Unix-domain socket.
  package static func client(of address: ClientAddress?) -> Client {
    address.map { .network(high: $0.network.high, low: $0.network.low) } ?? .local
  }
}

extension ClientAddress: CustomStringConvertible {
  /// The address as logs show it.
  package var description: String {
    if isVersion4 {
      return stride(from: 24, through: 0, by: -8).map { String(low >> $0 & 0xFF) }
        .joined(separator: ".")
    }
    return (0..<8).map { index in
      let half = index < 4 ? high : low
      return String(half >> (48 - UInt64(index % 4) * 16) & 0xFFFF, radix: 16)
    }.joined(separator: ":")
  }
}

extension ClientAddress {
  /// Parses a numeric IPv4 address, or an IPv6 address with or without brackets.
  package init?(_ text: some StringProtocol) {
    let address = unsafe WireText(String(text)).withUTF8 { unsafe ClientAddress(utf8: $0) }
    guard let address else { return nil }
    self = address
  }

  /// Parses the bytes of a numeric IPv4 address, or of an IPv6 address with or without brackets.
  package init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
    var bytes = unsafe bytes
    if unsafe bytes.first == UInt8(ascii: "["), unsafe bytes.last == UInt8(ascii: "]") {
      unsafe bytes = UnsafeBufferPointer(rebasing: bytes.dropFirst().dropLast())
    }
    if let address = unsafe Self.version4(bytes) {
      self.init(version4: address)
    } else if let groups = unsafe Self.version6(String(asciiFrom: bytes)) {
      self.init(
        high: groups[..<4].reduce(0) { $0 << 16 | UInt64($1) },
        low: groups[4...].reduce(0) { $0 << 16 | UInt64($1) })
    } else {
      return nil
    }
  }

  /// Parses four decimal numbers of one to three digits each.
  private static func version4(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32? {
    var address: UInt32 = 0
    var (dots, digits, part) = (0, 0, UInt32(0))
    for index in bytes.indices {
      let byte = unsafe bytes[index]
      if byte == UInt8(ascii: "."), digits > 0 {
        address = address << 8 | part
        (dots, digits, part) = (dots + 1, 0, 0)
      } else {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), digits < 3 else { return nil }
        part = part * 10 + UInt32(byte - UInt8(ascii: "0"))
        digits += 1
      }
      guard part <= 255, dots <= 3 else { return nil }
    }
    return dots == 3 && digits > 0 ? address << 8 | part : nil
  }

  /// Parses the eight groups of an address, in which `::` can abbreviate one run of zeros.
  private static func version6(_ text: some StringProtocol) -> [UInt16]? {
    guard text.utf8.count <= 45 else { return nil }
    let halves = text.split(separator: "::", omittingEmptySubsequences: false)
    switch halves.count {
    case 1:
      guard let groups = groups(halves[0]), groups.count == 8 else { return nil }
      return groups
    case 2:
      guard let front = groups(halves[0]), let back = groups(halves[1]),
        front.count + back.count < 8
      else { return nil }
      return front + Array(repeating: 0, count: 8 - front.count - back.count) + back
    default: return nil
    }
  }

  private static func groups(_ text: some StringProtocol) -> [UInt16]? {
    guard !text.isEmpty else { return [] }
    var groups: [UInt16] = []
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if index == parts.count - 1,
        let address = unsafe WireText(String(part)).withUTF8({ unsafe version4($0) })
      {
        groups += [UInt16(address >> 16), UInt16(address & 0xFFFF)]
      } else {
        guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }),
          let group = UInt16(part, radix: 16)
        else { return nil }
        groups.append(group)
      }
    }
    return groups
  }
}

extension ClientAddress {
  /// Whether this is an address of the local machine: `127.0.0.0/8` or `::1`.
  package var isLoopback: Bool {
    isVersion4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1
  }
}
