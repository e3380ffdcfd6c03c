#if NATS
  internal import NATSClient
#endif

/// Where session logs are stored.
public enum StoreChoice: Sendable, Equatable {
  /// In memory: lost when the process ends.
  case memory

  /// In the SQLite database at this path.
  case sqlite(path: String)

  /// In streams of the NATS brokers at these addresses: `nats://HOST:PORT[,...]`.
  case nats(addresses: String)

  /// Reads `memory`, `sqlite:PATH`, or the addresses of brokers, which begin with `nats://` or
  /// `tls://`; `nil` for anything else.
  public init?(_ text: String) {
    if text == "memory" {
      self = .memory
      return
    }
    if Self.areBrokers(text) {
      self = .nats(addresses: text)
      return
    }
    let scheme = "sqlite:"
    let path = text.dropFirst(scheme.count)
    guard text.hasPrefix(scheme), !path.isEmpty, !path.utf8.contains(0) else { return nil }
    self = .sqlite(path: String(path))
  }
}

extension StoreChoice: CustomStringConvertible {
  /// The form that `init(_:)` reads, without the credentials of brokers.
  public var description: String {
    switch self {
    case .memory: "memory"
    case .sqlite(let path): "sqlite:\(path)"
    case .nats(let addresses): Self.describe(addresses)
    }
  }
}

#if NATS
  extension StoreChoice {
    private static func areBrokers(_ text: String) -> Bool { NATSAddresses(text) != nil }

    private static func describe(_ addresses: String) -> String {
      NATSAddresses(addresses)?.description ?? "nats"
    }
  }
#else
  extension StoreChoice {
    /// Recognizes the scheme only: opening the store then reports that this build cannot use
    /// brokers.
    private static func areBrokers(_ text: String) -> Bool {
      text.hasPrefix("nats://") || text.hasPrefix("tls://")
    }

    private static func describe(_ addresses: String) -> String { "nats://" }
  }
#endif
