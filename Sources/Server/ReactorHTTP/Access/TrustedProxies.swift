package import ReactorTransport

/// The proxies whose statements about client addresses are trusted.
///
/// Any client can send `X-Forwarded-For` or `Forwarded`. Only the field that the trusted proxies
/// write is read, since they can pass the other one through unchanged. Its addresses are read from
/// the last, which the nearest proxy wrote, to the first that is not a trusted proxy.
package struct TrustedProxies: Sendable, Equatable {
  /// The addresses with a common prefix.
  struct Network: Sendable, Equatable {
    let address: ClientAddress
    let bits: Int

    func contains(_ other: ClientAddress) -> Bool {
      let high = bits >= 64 ? UInt64.max : bits == 0 ? 0 : UInt64.max << (64 - UInt64(bits))
      let low = bits <= 64 ? 0 : UInt64.max << (128 - UInt64(bits))
      return (address.high ^ other.high) & high == 0 && (address.low ^ other.low) & low == 0
    }
  }

  /// Whether connections over Unix-domain sockets, which have no address, are those of proxies.
  private var trustsLocalSockets = false
  private var networks: [Network] = []
  private var text = ""

  /// Creates a list without proxies.
  package init() {}

  /// Parses addresses, networks such as `10.0.0.0/8`, and `unix` for Unix-domain sockets, separated
  /// by commas, or returns `nil` for anything else.
  package init?(_ text: String) {
    self.text = text
    for part in text.split(separator: ",").map({ $0.trimmingSpaces() }) where !part.isEmpty {
      if part == "unix" {
        trustsLocalSockets = true
        continue
      }
      let words = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      guard let address = ClientAddress(words[0]) else { return nil }
      let width = address.isVersion4 ? 32 : 128
      var bits = width
      if words.count > 1 {
        guard let number = Int(words[1]), (0...width).contains(number) else { return nil }
        bits = number
      }
      networks.append(Network(address: address, bits: bits + 128 - width))
    }
  }

  /// Whether an address is that of a trusted proxy; `nil` stands for a Unix-domain socket.
  package func contains(_ address: ClientAddress?) -> Bool {
    guard let address else { return trustsLocalSockets }
    return networks.contains { $0.contains(address) }
  }

  /// Whether any proxy is trusted.
  var isUsed: Bool { trustsLocalSockets || !networks.isEmpty }

  /// Returns the address of the client that sent a request, as far as trusted proxies report it.
  ///
  /// Reads the field from its end, and stops at the first element that decides. An element costs the
  /// same however long the field is.
  func client(of request: HTTPRequest, in field: ForwardingField) -> ClientAddress? {
    guard contains(request.peer) else { return request.peer }
    var client = request.peer
    var rest = Substring(request[header: field.header] ?? "").utf8
    while !rest.isEmpty {
      let comma = rest.lastIndex(of: UInt8(ascii: ","))
      let element = comma.map { rest[rest.index(after: $0)...] } ?? rest
      rest = comma.map { rest[..<$0] } ?? rest.prefix(0)
      if element.allSatisfy(Self.isSpace) { continue }
      // The elements before a malformed one are not trustworthy either.
      guard let address = field.address(in: element) else { break }
      client = address
      guard contains(address) else { break }
    }
    return client
  }

  fileprivate static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}

extension ForwardingField {
  /// The longest text of an address with its port, in bytes.
  private static let addressLimit = 64

  fileprivate var header: HTTPHeader {
    switch self {
    case .xForwardedFor: .forwardedFor
    case .forwarded: .forwarded
    }
  }

  /// Returns the address in an element of the field, or `nil` for a malformed one.
  fileprivate func address(in element: Substring.UTF8View) -> ClientAddress? {
    switch self {
    case .xForwardedFor: return Self.address(element)
    case .forwarded:
      for part in element.split(separator: UInt8(ascii: ";")) {
        let part = part.drop(while: TrustedProxies.isSpace)
        guard Substring(part.prefix(4)).lowercased() == "for=" else { continue }
        return Self.address(part.dropFirst(4))
      }
      return nil
    }
  }

  /// Parses an address that may be quoted and have a port.
  private static func address(_ text: Substring.UTF8View) -> ClientAddress? {
    guard text.count <= addressLimit else { return nil }
    let bytes = text.filter { $0 != UInt8(ascii: "\"") && !TrustedProxies.isSpace($0) }
    if let address = parse(bytes[...]) { return address }
    return bytes.lastIndex(of: UInt8(ascii: ":")).flatMap { parse(bytes[..<$0]) }
  }

  private static func parse(_ bytes: ArraySlice<UInt8>) -> ClientAddress? {
    unsafe bytes.withUnsafeBufferPointer { unsafe ClientAddress(utf8: $0) }
  }
}

extension TrustedProxies: CustomStringConvertible {
  /// The form that `init(_:)` parses.
  package var description: String { text }
}

/// The header field in which proxies state the address of their client.
package enum ForwardingField: String, CaseIterable, Sendable {
  /// `X-Forwarded-For`, which most proxies write.
  case xForwardedFor = "x-forwarded-for"

  /// `Forwarded` (RFC 7239).
  case forwarded
}
