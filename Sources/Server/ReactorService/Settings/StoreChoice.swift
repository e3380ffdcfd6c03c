#if PostgreSQL
  internal import PostgresLog
#endif

/// Where session logs are stored.
public enum StoreChoice: Sendable, Equatable {
  /// In memory: lost when the process ends.
  case memory

  /// In the SQLite database at this path.
  case sqlite(path: String)

  /// In a PostgreSQL database: a URL with everything that libpq accepts.
  case postgres(address: String)

  /// Reads `memory`, `sqlite:PATH`, or the URL of a database, which begins with `postgres://` or
  /// `postgresql://`, or returns `nil` for anything else.
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
    let scheme = "sqlite:"
    let path = text.dropFirst(scheme.count)
    guard text.hasPrefix(scheme), !path.isEmpty, !path.utf8.contains(0) else { return nil }
    self = .sqlite(path: String(path))
  }
}

extension StoreChoice {
  /// `memory`, `sqlite` or `postgres`.
  var kind: String {
    switch self {
    case .memory: "memory"
    case .sqlite: "sqlite"
    case .postgres: "postgres"
    }
  }
}

extension StoreChoice: CustomStringConvertible {
  /// The form that `init(_:)` reads, and of a database only its place.
  public var description: String {
    switch self {
    case .memory: "memory"
    case .sqlite(let path): "sqlite:\(path)"
    case .postgres(let address): Self.describe(database: address)
    }
  }
}

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
