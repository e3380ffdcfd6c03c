import ReactorHost
import ReactorLog
import Testing

/// `host.changes(after:)`.
struct HostChangesTests {
  private func host(_ log: MemoryLog) -> Host {
    Host([], log: log)
  }

  private func append(_ version: Int, to log: MemoryLog) {
    let entry = LogEntry(version: version, at: .now, action: nil, mutation: Array("1".utf8))
    log.session(SessionKey(reactor: "r", id: "s"))
      .append(LogBatch([entry]), to: "one", expecting: version - 1) { _ in }
  }

  @Test func `without a retention there are no changes`() {
    #expect(throws: ChangeFeedError.disabled) { try host(MemoryLog()).changes(after: .latest) }
  }

  @Test func `a reader gets the retained changes and then the new ones`() async throws {
    let log = MemoryLog(changeRetention: .seconds(3_600))
    append(1, to: log)
    let changes = try host(log).changes(after: .oldest)
    var iterator = changes.makeAsyncIterator()
    #expect(try await iterator.next()?.kind == .began(forkedFrom: nil))
    #expect(try await iterator.next()?.kind == .changed(from: 0))
    async let next = { [iterator] in
      var iterator = iterator
      return try await iterator.next()
    }()
    append(2, to: log)
    let change = try #require(try await next)
    #expect(change.kind == .changed(from: 1))
    // A new reader continues after the change at which another one has stopped.
    append(3, to: log)
    let id = ChangeID(store: changes.store, number: change.number)
    var rest = try host(log).changes(after: .id(id)).makeAsyncIterator()
    #expect(try await rest.next()?.kind == .changed(from: 2))
  }

  @Test func `an id of another store is expired`() throws {
    let log = MemoryLog(changeRetention: .seconds(3_600))
    let oldest = ChangeID(store: try #require(log.changes?.store), number: 0)
    for id in [ChangeID(store: "other", number: 0), ChangeID(store: oldest.store, number: 1)] {
      #expect(throws: ChangeFeedError.expired(oldest: oldest)) {
        try host(log).changes(after: .id(id))
      }
    }
  }

  @Test func `a cancelled reader ends`() async throws {
    let log = MemoryLog(changeRetention: .seconds(3_600))
    let changes = try host(log).changes(after: .latest)
    let reading = Task {
      for try await _ in changes {}
      return true
    }
    reading.cancel()
    #expect(try await reading.value)
  }
}
