internal import ReactorLog

/// The names of the streams and subjects of a store.
struct StoreNames: Equatable, Sendable {
  /// The number of SNAP streams, and of HIST streams.
  static let snapshotStreams = 3

  /// The prefix of all names: `cluster.name`.
  let prefix: String
  /// The number of LOG streams: `cluster.streams`.
  let logStreams: Int

  /// The stream of globals, of sessions with unfinished actions and timers, and of the store's settings.
  var meta: String { "\(prefix)-META" }

  /// The stream of changes, which exists if these are retained, and its subject.
  var feed: String { "\(prefix)-FEED" }
  var feedSubject: String { "\(prefix).f" }

  /// The subject of the store's settings.
  var configuration: String { "\(prefix).c" }

  /// The name of a LOG stream.
  func log(_ number: Int) -> String { "\(prefix)-LOG-\(number)" }

  /// The name of a SNAP stream.
  func snapshots(_ number: Int) -> String { "\(prefix)-SNAP-\(number)" }

  /// The name of a HIST stream.
  func pages(_ number: Int) -> String { "\(prefix)-HIST-\(number)" }

  /// The number of a session's LOG stream.
  func logNumber(of key: SessionKey) -> Int { Int(Self.hash(of: key) % UInt64(logStreams)) }

  /// The number of a session's SNAP and HIST streams.
  func snapshotNumber(of key: SessionKey) -> Int {
    Int(Self.hash(of: key) % UInt64(Self.snapshotStreams))
  }

  /// The subject of a session's log.
  func logSubject(of key: SessionKey) -> String {
    "\(prefix).l.\(logNumber(of: key)).\(Self.tokens(of: key))"
  }

  /// The subject of a session's snapshots.
  func snapshotSubject(of key: SessionKey) -> String {
    "\(prefix).s.\(snapshotNumber(of: key)).\(Self.tokens(of: key))"
  }

  /// The subject of a session's pages.
  func pageSubject(of key: SessionKey) -> String {
    "\(prefix).h.\(snapshotNumber(of: key)).\(Self.tokens(of: key))"
  }

  /// The subject of a session's milestones, in the same stream as its pages.
  func milestoneSubject(of key: SessionKey) -> String { "\(pageSubject(of: key)).s" }

  /// The subject of a global.
  func global(_ name: String) -> String { "\(prefix).g.\(Self.escaped(name))" }

  /// The subject that marks a session with unfinished actions (`w`) or timers (`t`).
  func mark(_ kind: Character, _ key: SessionKey) -> String {
    "\(prefix).\(kind).\(Self.hash(of: key) % 64).\(Self.tokens(of: key))"
  }

  /// The session of a subject that ends with its reactor and its id.
  static func session(of subject: String) -> SessionKey? {
    let tokens = subject.utf8.split(separator: UInt8(ascii: ".")).map { Substring($0) }
    guard tokens.count >= 2, let reactor = unescaped(tokens[tokens.count - 2]),
      let id = unescaped(tokens[tokens.count - 1])
    else { return nil }
    return SessionKey(reactor: reactor, id: id)
  }

  /// A name as one token of a subject, which has no dot, space or wildcard.
  static func escaped(_ name: String) -> String {
    var bytes: [UInt8] = []
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        bytes.append(byte)
      default:
        bytes.append(UInt8(ascii: "~"))
        let digits = Array("0123456789abcdef".utf8)
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The name of a token, or `nil` if the token is not the output of ``escaped(_:)``.
  static func unescaped(_ token: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(token.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "~") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func tokens(of key: SessionKey) -> String {
    "\(escaped(key.reactor)).\(escaped(key.id))"
  }

  /// FNV-1a: the same in every release, since it selects the stream that a session is stored in.
  static func hash(of key: SessionKey) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    for byte in key.reactor.utf8 { add(byte) }
    add(UInt8(ascii: "/"))
    for byte in key.id.utf8 { add(byte) }
    return hash
  }
}
