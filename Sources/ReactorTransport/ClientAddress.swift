/// The network address of a client: IPv6, or IPv4 as IPv6 writes it (`::ffff:192.0.2.1`).
public struct ClientAddress: Hashable, Sendable {
  /// The first eight bytes in network order.
  package let high: UInt64
  /// The last eight bytes in network order.
  package let low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates an IPv4 address; its first byte is the most significant.
  public init(version4 address: UInt32) {
    high = 0
    low = 0xFFFF_0000_0000 | UInt64(address)
  }

  /// Creates an IPv6 address from 16 bytes; `nil` for another count.
  public init?(version6 bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 else { return nil }
    high = unsafe bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    low = unsafe bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Whether this is an IPv4 address.
  package var isVersion4: Bool { high == 0 && low >> 32 == 0xFFFF }

  /// The unit that limits count as one client: an IPv4 address or an IPv6 /64 network.
  public var network: ClientAddress { isVersion4 ? self : ClientAddress(high: high, low: 0) }
}

extension ClientAddress: CustomStringConvertible {
  /// The address as logs show it.
  public var description: String {
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
  public init?(_ text: some StringProtocol) {
    var text = text[...]
    if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
    if let address = Self.version4(text) {
      self.init(version4: address)
    } else if let groups = Self.version6(text) {
      self.init(
        high: groups[..<4].reduce(0) { $0 << 16 | UInt64($1) },
        low: groups[4...].reduce(0) { $0 << 16 | UInt64($1) })
    } else {
      return nil
    }
  }

  private static func version4(_ text: some StringProtocol) -> UInt32? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var address: UInt32 = 0
    for part in parts {
      guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let byte = UInt8(part)
      else { return nil }
      address = address << 8 | UInt32(byte)
    }
    return address
  }

  /// Parses the eight groups of an address, of which `::` may abbreviate one run of zeros.
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
      if index == parts.count - 1, let address = version4(part) {
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
  public var isLoopback: Bool {
    isVersion4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1
  }
}
