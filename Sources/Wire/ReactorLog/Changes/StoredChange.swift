/// The columns of a kind of change.
package struct StoredChange {
  /// The number of the kind.
  package let kind: Int
  /// The version before the change, or the version of the origin.
  package private(set) var first = 0
  /// The id of the session that was forked.
  package private(set) var origin: String?
  /// The name of a global.
  package private(set) var name = ""

  /// Creates the columns of a kind.
  package init(_ kind: StoreChange.Kind) {
    switch kind {
    case .began(let source):
      self.kind = 0
      first = source?.version ?? 0
      origin = source?.session
    case .changed(let from):
      self.kind = 1
      first = from
    case .ended: self.kind = 2
    case .global(let name):
      self.kind = 3
      self.name = name
    case .damaged: self.kind = -1  // only read, never written
    }
  }

  /// Returns the kind of change that the columns of a row describe, or `nil` for an unknown one.
  package static func kind(_ number: Int, first: Int, origin: String?, name: String) -> StoreChange
    .Kind?
  {
    switch number {
    case 0: .began(forkedFrom: origin.map { .init(session: $0, version: first) })
    case 1: .changed(from: first)
    case 2: .ended
    case 3: .global(name: name)
    default: nil
    }
  }

  /// Returns the change of a row; a damaged one if no change can be read from it.
  package static func change(
    _ number: Int, kind: Int, reactor: String?, session: String, epoch: String, version: Int,
    first: Int, origin: String?, at: Timestamp, by: String?
  ) -> StoreChange {
    guard StoredValues.areCounts(number, version, first), StoredValues.areTimes(at),
      epoch.isEmpty || StoredValues.isEpoch(epoch),
      origin.map({ SessionKey.isValid(id: $0) }) ?? true,
      let kind = Self.kind(kind, first: first, origin: origin, name: session),
      reactor.map({ StoredValues.key(reactor: $0, id: session) != nil }) ?? kind.isGlobal
    else {
      let name = reactor.map { "\($0)/\(session)" } ?? session
      return StoreChange(
        number: number, kind: .damaged(name: String(name.prefix(256))), key: nil,
        cursor: Cursor(epoch: "", version: 0), at: Timestamp(milliseconds: 0))
    }
    return StoreChange(
      number: number, kind: kind, key: reactor.map { SessionKey(reactor: $0, id: session) },
      cursor: Cursor(epoch: epoch, version: version), at: at, by: by)
  }
}

extension StoreChange.Kind {
  /// Whether a change of the kind has no session.
  fileprivate var isGlobal: Bool { if case .global = self { true } else { false } }
}
