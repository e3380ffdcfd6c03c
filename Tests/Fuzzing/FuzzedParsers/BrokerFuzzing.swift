internal import NATSClient
internal import NATSLog

/// Parses arbitrary bytes as addresses of brokers, and as data that brokers send and store.
enum BrokerFuzzing {
  static func run(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let addresses = NATSAddresses(text) {
      require(!addresses.urls.isEmpty, "there is an address")
      for url in addresses.urls {
        require(NATSAddresses.hostAndPort(of: url) != nil, "an address has a host and a port")
      }
      let shown = addresses.description
      for url in addresses.urls {
        guard let at = url.lastIndex(of: "@"), let scheme = url.firstRange(of: "://") else {
          continue
        }
        let secret = url[scheme.upperBound..<at]
        require(secret.isEmpty || !shown.contains(secret + "@"), "a log line has no credential")
      }
    }
    _ = BrokerGreeting(bytes)
    _ = BrokerGreeting(Array("INFO ".utf8) + bytes)
    StoreFormat.read(bytes)
  }
}
