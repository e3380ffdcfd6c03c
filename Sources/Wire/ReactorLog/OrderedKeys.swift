/// Keys of sessions, in ascending order of their reactors' names and of their ids.
///
/// The cost of a page depends on its length and on the number of reactors with keys in the set.
struct OrderedKeys: Sendable {
  /// The ids, by reactor; none of the sets is empty.
  private var ids: [String: OrderedIDs] = [:]

  /// Inserts a key unless it is present.
  mutating func insert(_ key: SessionKey) {
    ids[key.reactor, default: OrderedIDs()].insert(key.id)
  }

  /// Removes a key if it is present.
  mutating func remove(_ key: SessionKey) {
    ids[key.reactor]?.remove(key.id)
    if ids[key.reactor]?.isEmpty == true { ids[key.reactor] = nil }
  }

  /// Returns the keys after a key, at most `limit`; `nil` begins with the first key.
  func keys(after key: SessionKey?, limit: Int) -> [SessionKey] {
    var page: [SessionKey] = []
    let reactors = ids.keys.filter { name in key.map { name >= $0.reactor } ?? true }
    for reactor in reactors.sorted() {
      guard page.count < limit else { break }
      let last = key.flatMap { $0.reactor == reactor ? $0.id : nil }
      let found = ids[reactor]?.ids(after: last, limit: limit - page.count) ?? []
      page += found.map { SessionKey(reactor: reactor, id: $0) }
    }
    return page
  }
}
