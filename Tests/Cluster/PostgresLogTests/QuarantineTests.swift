import PostgresLog
import ReactorLog
import TestSupport
import Testing

/// The quarantine that the processes of a store share.
struct QuarantineTests {
  private func entry(
    _ id: String, digest: UInt64 = .max, action: String? = "\"é\"", at time: Int64 = 1
  ) -> StoredQuarantine.Entry {
    StoredQuarantine.Entry(
      session: SessionKey(reactor: "counter", id: id), digest: digest, action: action,
      at: Timestamp(milliseconds: time), signal: "SIGILL")
  }

  @Test func `a process reads what another one adds and removes`() async throws {
    let settings = try newStore()
    let logs = [try PostgresLog(settings), try PostgresLog(settings)]
    let quarantines = logs.map { StoredQuarantine($0) }
    for quarantine in quarantines { try quarantine.start() }
    let (own, other) = (quarantines[0], quarantines[1])
    let (first, second) = (entry("a"), entry("b", digest: 0, action: nil, at: 2))
    try own.add([first, second])
    #expect(own.entries == [first, second])
    try await wait(until: { other.entries == [first, second] })
    #expect(other.contains(first.session, .max) && other.contains(second.session, 0))
    #expect(!other.contains(first.session, 0))
    // A second crash of the same action adds no entry.
    try other.add([entry("a", at: 3)])
    #expect(other.entries == [first, second])
    own.removeLater(first.session)
    try await wait(until: { other.entries == [second] })
    #expect(try other.clear() == 1)
    try await wait(until: { own.isEmpty })
    for quarantine in quarantines { quarantine.close() }
    for log in logs { #expect(log.close()) }
  }

  @Test func `the oldest entries are removed beyond the bound`() throws {
    let log = try PostgresLog(newStore())
    let quarantine = StoredQuarantine(log)
    let entries = (0..<StoredQuarantine.bound + 3).map { entry("s\($0)", at: Int64($0)) }
    try quarantine.add(entries)
    #expect(quarantine.entries == Array(entries.dropFirst(3)))
    #expect(log.close())
  }
}
