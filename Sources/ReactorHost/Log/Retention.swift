/// How much of a session's log is kept.
///
/// The state is kept always, and so is its version.
public enum Retention: Equatable, Sendable {
  /// Everything.
  case all

  /// At least so many of the latest versions.
  case versions(Int)

  /// At least what was folded in during so many days.
  case days(Int)

  /// Reads `all`, a number of versions such as `10000`, or a number of days such as `30d`; `nil`
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
  /// The form that `init(_:)` reads.
  public var description: String {
    switch self {
    case .all: "all"
    case .versions(let count): "\(count)"
    case .days(let count): "\(count)d"
    }
  }
}

/// How much is kept of the logs of each reactor's sessions.
public struct RetentionRules: Equatable, Sendable {
  /// What holds for reactors without a rule of their own.
  public var standard: Retention

  /// What holds for single reactors, by their names.
  public var byReactor: [String: Retention]

  /// Makes rules.
  public init(_ standard: Retention = .all, byReactor: [String: Retention] = [:]) {
    self.standard = standard
    self.byReactor = byReactor
  }

  /// Reads `all`, or a rule for all and others for single reactors: `30d,counter=10000`; `nil` for
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

  /// What holds for a reactor.
  public subscript(reactor: String) -> Retention {
    byReactor[reactor] ?? standard
  }
}

extension RetentionRules: CustomStringConvertible {
  /// The form that `init(_:)` reads.
  public var description: String {
    let exceptions = byReactor.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return (["\(standard)"] + exceptions).joined(separator: ",")
  }
}
