internal import ReactorLog

/// Finds and deletes the pages of a session.
struct PageStore: Sendable {
  let store: NATSStore
  let key: SessionKey

  private var stream: String { store.names.pages(store.names.snapshotNumber(of: key)) }

  /// The sequence of the last page, also if it is of another history; 0 for none.
  func last() async throws(LogError) -> Int {
    try await store.reader.last(store.names.pageSubject(of: key), in: stream)?.sequence ?? 0
  }

  /// The pages after `newest`, the latest one that a message names, from the latest on.
  func orphans(
    upTo last: Int, after newest: Int, _ bound: Int
  ) async throws(LogError) -> [HistoryIndex.Node] {
    var found: [HistoryIndex.Node] = []
    var sequence = last
    while sequence > newest, found.count < bound,
      let message = try await store.reader.message(at: sequence, in: stream),
      let page = Page(message.payload)
    {
      found.append(
        HistoryIndex.Node(
          level: 0, position: HistoryIndex.Position(version: page.version, sequence: sequence)))
      sequence = page.previous
    }
    return found
  }

  /// Deletes pages with those that they lead to.
  ///
  /// A page is deleted after those that only it names, so that an interrupted deletion can be repeated.
  func delete(_ nodes: [HistoryIndex.Node]) async throws(LogError) {
    for node in nodes {
      if node.level > 0 {
        guard let message = try await store.reader.message(at: node.position.sequence, in: stream),
          let page = Page(message.payload)
        else { continue }
        try await delete(page.index.nodes(below: node.level))
      }
      try await store.reader.delete(node.position.sequence, in: stream)
    }
  }
}

extension NATSStore {
  func pages(of key: SessionKey) -> PageStore { PageStore(store: self, key: key) }
}
