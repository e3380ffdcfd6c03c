internal import ReactorTransport

/// The names of the parameters that an endpoint reads from the query.
///
/// An unknown parameter is ignored, unless its name resembles one of these: then the client meant that one.
struct ParameterNames: Sendable {
  /// As polyfills of `EventSource` name the id of the last event in the address of a stream.
  static let polyfillEventID: StaticString = "lastEventId"

  /// Names that requests can have beside those in the description of an endpoint.
  private static let general = ["name", "ticket", "access_token", "order"]

  /// The number of unknown parameters that are compared with the known ones.
  static let limit = 16

  /// The names as a client may have written them, in small letters and without separators, with their right form.
  private let known: [(plain: [UInt8], name: String)]
  /// The names that are accepted as they are.
  private let exact: Set<WireText>
  /// The names that a query has at most once.
  private let single: Set<WireText>

  /// Creates the names of an endpoint.
  ///
  /// - Parameters:
  ///   - names: The names in its description.
  ///   - repeatable: Those that a query can have several times.
  ///   - isStream: Whether it is an event stream.
  init(_ names: [String], repeatable: [String], isStream: Bool) {
    single = Set(names.filter { !repeatable.contains($0) }.map { WireText($0) })
    var known = names.map { (plain: Self.plain(WireText($0)), name: $0) }
    let eventID = Self.plain(WireText("\(Self.polyfillEventID)"))
    // A page of changes or entries begins where a stream would continue.
    if !isStream, names.contains("after") { known.append((eventID, "after")) }
    self.known = known
    let others = Self.general + (isStream ? ["\(Self.polyfillEventID)"] : [])
    exact = Set((names + others).map { WireText($0) })
  }

  /// Returns the problem of a query with an unknown parameter that resembles a known one, or with two values of a
  /// parameter that has one, or `nil` for none.
  func problem(in text: WireText?) -> Problem? {
    guard !known.isEmpty, let text, let query = try? Query(text) else { return nil }
    var seen: Set<WireText> = []
    for name in query.names where single.contains(name) && !seen.insert(name).inserted {
      return .repeated(parameter: "\(name)")
    }
    for name in query.names.filter({ !exact.contains($0) }).prefix(Self.limit) {
      guard let right = resembled(by: name) else { continue }
      return .invalid(
        parameter: name.description.asciiOnly,
        "This address has no parameter of this name. The parameter is named \(right).")
    }
    return nil
  }

  private func resembled(by name: WireText) -> String? {
    guard name.utf8.count <= 64 else { return nil }
    let plain = Self.plain(name)
    let nearest = known.map { (name: $0.name, most: Self.edits(in: $0.plain), plain: $0.plain) }
      .filter { abs($0.plain.count - plain.count) <= $0.most }
      .map { (name: $0.name, most: $0.most, distance: Spelling.distance(plain, $0.plain)) }
      .filter { $0.distance <= $0.most }
    return nearest.min { $0.distance < $1.distance }?.name
  }

  /// The number of edits after which a name is another word: `session` and `version` are two edits apart.
  private static func edits(in name: [UInt8]) -> Int {
    name.count < 4 ? 0 : name.count < 8 ? 1 : 2
  }

  private static func plain(_ name: WireText) -> [UInt8] {
    name.utf8.compactMap { byte in
      switch byte {
      case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): nil
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
      default: byte
      }
    }
  }
}

extension Problem {
  /// The problem of a parameter with several values at an address that reads one.
  static func repeated(parameter name: String) -> Problem {
    .invalid(
      parameter: name.asciiOnly, "The parameter \(name) occurs twice; this address reads one value."
    )
  }
}
