internal import ReactorLog

/// Lists the sessions of a store.
struct SessionLists: Sendable {
  let store: NATSStore

  /// The stored sessions of a reactor after an id, in ascending order.
  func sessions(
    of reactor: String, after id: String?, limit: Int
  ) async throws(LogError) -> [SessionSummary] {
    guard limit > 0 else { return [] }
    var ids = try await ids(of: reactor)
    if let id { ids.removeAll { !Self.precedes(id, $0) } }
    ids.sort(by: Self.precedes)
    var rest = ids[...]
    var found: [SessionSummary] = []
    while found.count < limit, !rest.isEmpty {
      let page = Array(rest.prefix(limit - found.count))
      rest = rest.dropFirst(page.count)
      let heads = try await heads(of: page.map { SessionKey(reactor: reactor, id: $0) })
      for (id, head) in zip(page, heads) where head.status == .stored {
        found.append(
          SessionSummary(
            id: id, cursor: Cursor(epoch: head.epoch, version: head.version), subscribers: 0,
            lastActiveAt: Timestamp(milliseconds: head.at)))
      }
    }
    return found
  }

  private func ids(of reactor: String) async throws(LogError) -> [String] {
    let names = store.names
    let reader = store.reader
    var ids: [String] = []
    for result in await Concurrently.results(
      0..<names.logStreams,
      { stream async throws(LogError) in
        try await reader.subjects(
          of: names.log(stream),
          matching: "\(names.prefix).l.\(stream).\(StoreNames.escaped(reactor)).*")
      })
    {
      ids += try result.get().compactMap { StoreNames.session(of: $0)?.id }
    }
    return ids
  }

  /// The sessions after `key` that have a mark and unfinished actions, in ascending order.
  func unfinishedSessions(
    after key: SessionKey?, limit: Int
  ) async throws(LogError) -> [SessionKey] {
    func precedes(_ one: SessionKey, _ other: SessionKey) -> Bool {
      one.reactor == other.reactor
        ? Self.precedes(one.id, other.id) : Self.precedes(one.reactor, other.reactor)
    }
    var keys = try await marked("w")
    if let key { keys.removeAll { !precedes(key, $0) } }
    keys.sort(by: precedes)
    var found: [SessionKey] = []
    var rest = keys[...]
    while found.count < limit, !rest.isEmpty {
      let page = Array(rest.prefix(limit - found.count))
      rest = rest.dropFirst(page.count)
      for (key, head) in zip(page, try await heads(of: page)) where head.unfinished > 0 {
        found.append(key)
      }
    }
    return found
  }

  /// The sessions with a mark.
  private func marked(_ letter: Character) async throws(LogError) -> [SessionKey] {
    try await store.reader.subjects(
      of: store.names.meta, matching: "\(store.names.prefix).\(letter).>"
    ).compactMap { StoreNames.session(of: $0) }
  }

  /// Reads the timers of all sessions that have some, according to their marks or to the table.
  func readTimers() async throws(LogError) {
    let store = store
    // Read the table before the marks: a mark is stored before the timers of its session are in the
    // table.
    let keys = Array(Set(store.timers.keys).union(try await marked("t")))
    for result in await Concurrently.results(
      keys,
      { key async throws(LogError) in
        (key, try await store.history(of: key).head())
      })
    {
      let (key, head) = try result.get()
      store.timers.refresh(head, of: key, in: store.names)
    }
  }

  private func heads(of keys: [SessionKey]) async throws(LogError) -> [SessionHead] {
    let store = store
    return try await Concurrently.values(keys) { key async throws(LogError) in
      try await store.history(of: key).head(isComplete: false)
    }
  }

  /// Orders texts by their bytes.
  private static func precedes(_ one: String, _ other: String) -> Bool {
    one.utf8.lexicographicallyPrecedes(other.utf8)
  }
}
