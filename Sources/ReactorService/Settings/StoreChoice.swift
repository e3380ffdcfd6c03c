#if NATS
  internal import NATSClient
#endif
#if PostgreSQL
  internal import PostgresLog
#endif

/// Where session logs are stored.
public enum StoreChoice: Sendable, Equatable {
  /// In memory: lost when the process ends.
  case memory

  /// In the SQLite database at this path.
  case sqlite(path: String)

  /// In streams of the NATS brokers at these addresses: `nats://HOST:PORT[,...]`.
  case nats(addresses: String)

  /// In a PostgreSQL database: a URL with everything that libpq accepts.
  case postgres(address: String)

  /// Reads `memory`, `sqlite:PATH`, the URL of a database, which begins with `postgres://` or
  /// `postgresql://`, or the addresses of brokers, which begin with `nats://` or `tls://`, or
  /// returns `nil` for anything else.
  ///
  /// The rest of a URL is checked when the store is opened: a problem with this text would show its password.
  public init?(_ text: String) {
    if text == "memory" {
      self = .memory
      return
    }
    if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
      self = .postgres(address: text)
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
  /// The form that `init(_:)` reads, without the credentials of brokers, and of a database only its place.
  public var description: String {
    switch self {
    case .memory: "memory"
    case .sqlite(let path): "sqlite:\(path)"
    case .nats(let addresses): Self.describe(addresses)
    case .postgres(let address): Self.describe(database: address)
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

#if PostgreSQL
  extension StoreChoice {
    /// Whether the text of a database contains a password, which must not be an argument.
    var hasPassword: Bool {
      guard case .postgres(let text) = self else { return false }
      return PostgresAddress(text)?.hasPassword == true
    }

    private static func describe(database text: String) -> String {
      PostgresAddress(text)?.description ?? "postgres://"
    }
  }
#else
  extension StoreChoice {
    /// `false`: this build cannot use a database.
    var hasPassword: Bool { false }

    private static func describe(database text: String) -> String { "postgres://" }
  }
#endif
