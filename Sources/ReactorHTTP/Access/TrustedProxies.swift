public import ReactorTransport

/// The proxies whose statements about client addresses are trusted.
///
/// Any client can send `X-Forwarded-For` or `Forwarded`. Only the field that the trusted proxies
/// write is read, since they can pass the other one through unchanged. Its addresses are read from
/// the last, which the nearest proxy wrote, to the first that is not a trusted proxy.
public struct TrustedProxies: Sendable, Equatable {
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
  public init() {}

  /// Parses addresses, networks such as `10.0.0.0/8`, and `unix` for Unix-domain sockets, separated
  /// by commas; `nil` for anything else.
  public init?(_ text: String) {
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
  public func contains(_ address: ClientAddress?) -> Bool {
    guard let address else { return trustsLocalSockets }
    return networks.contains { $0.contains(address) }
  }

  /// Whether any proxy is trusted.
  var isUsed: Bool { trustsLocalSockets || !networks.isEmpty }

  /// Returns the address of the client that sent a request, as far as trusted proxies report it.
  func client(of request: HTTPRequest, in field: ForwardingField) -> ClientAddress? {
    guard contains(request.peer) else { return request.peer }
    var client = request.peer
    for address in Self.forwarded(request, field).reversed() {
      // The entries before a malformed one are not trustworthy either.
      guard let address else { break }
      client = address
      guard contains(address) else { break }
    }
    return client
  }

  /// Returns the addresses in the field, the farthest first; `nil` for each malformed one.
  private static func forwarded(
    _ request: HTTPRequest, _ field: ForwardingField
  ) -> [ClientAddress?] {
    switch field {
    case .forwarded:
      (request[header: .forwarded] ?? "").split(separator: ",").map { element in
        element.split(separator: ";").lazy
          .map { $0.trimmingSpaces() }
          .first { $0.lowercased().hasPrefix("for=") }
          .flatMap { address($0.dropFirst(4)) }
      }
    case .xForwardedFor:
      (request[header: .forwardedFor] ?? "").split(separator: ",").map { address($0) }
    }
  }

  /// Parses an address that may be quoted and have a port.
  private static func address(_ text: some StringProtocol) -> ClientAddress? {
    let text = String(text.filter { $0 != "\"" && $0 != " " && $0 != "\t" })
    if let address = ClientAddress(text) { return address }
    guard let colon = text.lastIndex(of: ":") else { return nil }
    return ClientAddress(text[..<colon])
  }
}

extension TrustedProxies: CustomStringConvertible {
  /// The form that `init(_:)` parses.
  public var description: String { text }
}

/// The header field in which proxies state the address of their client.
public enum ForwardingField: String, CaseIterable, Sendable {
  /// `X-Forwarded-For`, which most proxies write.
  case xForwardedFor = "x-forwarded-for"

  /// `Forwarded` (RFC 7239).
  case forwarded
}
