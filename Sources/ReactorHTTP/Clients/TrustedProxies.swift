/// The proxies whose word about their clients' addresses is taken.
///
/// Anyone may write `X-Forwarded-For` or `Forwarded`; so the fields are read from their ends, which
/// the nearest proxy wrote, and only as far as trusted proxies reach.
public struct TrustedProxies: Sendable, Equatable {
  /// The addresses that share so many first bits.
  struct Network: Sendable, Equatable {
    let address: ClientAddress
    let bits: Int

    func contains(_ other: ClientAddress) -> Bool {
      let high = bits >= 64 ? UInt64.max : bits == 0 ? 0 : UInt64.max << (64 - UInt64(bits))
      let low = bits <= 64 ? 0 : UInt64.max << (128 - UInt64(bits))
      return (address.high ^ other.high) & high == 0 && (address.low ^ other.low) & low == 0
    }
  }

  /// Clients that connect over a Unix-domain socket have no address; whether they are proxies.
  private var trustsLocalSockets = false
  private var networks: [Network] = []
  private var text = ""

  /// Trusts nobody.
  public init() {}

  /// Reads addresses, networks such as `10.0.0.0/8`, and `unix` for whoever connects over a
  /// Unix-domain socket, separated by commas; `nil` for anything else.
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

  /// The address of whoever sent a request, as far as it can be known.
  func client(of request: HTTPRequest) -> ClientAddress? {
    guard trustsLocalSockets || !networks.isEmpty, contains(request.peer) else {
      return request.peer
    }
    var client = request.peer
    for address in Self.forwarded(request).reversed() {
      // What cannot be read says nothing, nor does what stands before it.
      guard let address else { break }
      client = address
      guard contains(address) else { break }
    }
    return client
  }

  /// The addresses that proxies have written down, the farthest first.
  private static func forwarded(_ request: HTTPRequest) -> [ClientAddress?] {
    if let field = request[header: .forwarded] {
      return field.split(separator: ",").map { element in
        element.split(separator: ";").lazy
          .map { $0.trimmingSpaces() }
          .first { $0.lowercased().hasPrefix("for=") }
          .flatMap { address($0.dropFirst(4)) }
      }
    }
    return (request[header: .forwardedFor] ?? "").split(separator: ",").map { address($0) }
  }

  /// Reads an address that may be quoted and have a port.
  private static func address(_ text: some StringProtocol) -> ClientAddress? {
    let text = String(text.filter { $0 != "\"" && $0 != " " && $0 != "\t" })
    if let address = ClientAddress(text) { return address }
    guard let colon = text.lastIndex(of: ":") else { return nil }
    return ClientAddress(text[..<colon])
  }
}

extension TrustedProxies: CustomStringConvertible {
  /// The form that `init(_:)` reads.
  public var description: String { text }
}
