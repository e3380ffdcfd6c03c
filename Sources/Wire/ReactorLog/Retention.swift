/// How much of a session's log is retained.
///
/// The current State and its version are always retained.
public enum Retention: Equatable, Sendable {
  /// Everything.
  case all

  /// At least this number of the latest versions.
  case versions(Int)

  /// At least the entries of this number of days.
  case days(Int)

  /// Parses `all`, a number of versions such as `10000`, or a number of days such as `30d`, or returns `nil`
  /// for anything else.
  public init?(_ text: some StringProtocol) {
    if text == "all" {
      self = .all
      return
    }
    let isDays = text.hasSuffix("d")
    let digits = isDays ? text.dropLast() : text[...]
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
      (1...(isDays ? 36_500 : 1_000_000_000)).contains(number)
    else { return nil }
    self = isDays ? .days(number) : .versions(number)
  }
}

extension Retention: CustomStringConvertible {
  /// The form that `init(_:)` parses.
  public var description: String {
    switch self {
    case .all: "all"
    case .versions(let count): "\(count)"
    case .days(let count): "\(count)d"
    }
  }
}

/// The retention of each reactor's sessions.
public struct RetentionRules: Equatable, Sendable {
  /// The retention of reactors that have no rule.
  public var standard: Retention

  /// The rules of individual reactors, by name.
  public var byReactor: [String: Retention]

  /// Creates rules.
  public init(_ standard: Retention = .all, byReactor: [String: Retention] = [:]) {
    self.standard = standard
    self.byReactor = byReactor
  }

  /// Parses a default, optionally followed by rules of individual reactors: `30d,counter=10000`, or `nil` for
  /// anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      part.drop { $0 == " " }
    }
    guard let first = parts.first, let standard = Retention(first) else { return nil }
    self.init(standard)
    for part in parts.dropFirst() {
      guard let equals = part.firstIndex(of: "="),
        SessionKey.isValid(id: String(part[..<equals])),
        let retention = Retention(part[part.index(after: equals)...])
      else { return nil }
      byReactor[String(part[..<equals])] = retention
    }
  }

  /// Returns the number of mutations between two snapshots: as many as are retained, so that little more
  /// than required remains, but at least 100, since a snapshot is a complete State.
  ///
  /// - Parameter longest: The number for a log of which everything is retained.
  /// - Returns: The number.
  package func snapshotInterval(atMost longest: Int) -> Int {
    let counts = ([standard] + byReactor.values).map { retention in
      if case .versions(let count) = retention { count } else { longest }
    }
    return min(longest, max(100, counts.min() ?? longest))
  }

  /// The retention of a reactor.
  public subscript(reactor: String) -> Retention {
    byReactor[reactor] ?? standard
  }
}

extension RetentionRules: CustomStringConvertible {
  /// The form that `init(_:)` parses.
  public var description: String {
    let exceptions = byReactor.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return (["\(standard)"] + exceptions).joined(separator: ",")
  }
}
