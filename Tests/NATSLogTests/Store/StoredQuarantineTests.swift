import Brokers
import NATSClient
import ReactorCoding
import ReactorLog
import Testing

@testable import NATSLog

/// The quarantine that the processes of a store share.
@Suite(.serialized) struct StoredQuarantineTests {
  private let key = SessionKey(reactor: "counter", id: "a.b \"c\"")

  private func entry(_ digest: UInt64) -> StoredQuarantine.Entry {
    StoredQuarantine.Entry(
      session: key, digest: digest, action: digest == 0 ? nil : "\"trap\"",
      at: Timestamp(milliseconds: 17), signal: "SIGILL")
  }

  @Test func `an entry is read as it was written`() {
    for digest in [0, 7, UInt64.max] {
      #expect(StoredQuarantine.Entry(record: entry(digest).record) == entry(digest))
    }
    #expect(StoredQuarantine.Entry(record: Array("{}".utf8)) == nil)
  }

  @Test func `an entry is known to every process, and to those that start later`() async throws {
    var store = try TestStore()
    let one = try await store.open()
    store.settings.node = "n2"
    let two = try await store.open()
    defer { _ = (one.close(), two.close()) }
    #expect(!one.quarantine.contains(key, 7))
    try await one.quarantine.add([entry(7), entry(0)])
    #expect(one.quarantine.entries == [entry(7), entry(0)])
    while !two.quarantine.contains(key, 7) { try await Task.sleep(for: .milliseconds(2)) }
    let three = try await store.open()
    defer { three.close() }
    #expect(three.quarantine.contains(key, 0))
    #expect(!three.quarantine.contains(SessionKey(reactor: "counter", id: "other"), 7))
    #expect(try await two.quarantine.clear() == 2)
    // Wait: a read can occur between the two removals.
    while !one.quarantine.entries.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
    #expect(!one.quarantine.contains(key, 7))
  }

  /// The broker accepts no deletion while the stream is sealed, or when it denies deletions.
  @Test(arguments: ["sealed", "deny_delete"])
  func `an entry that cannot be deleted is not reported as removed`(
    _ restriction: String
  ) async throws {
    let log = try await TestStore().open()
    defer { log.close() }
    try await log.quarantine.add([entry(7)])
    let (reader, meta) = (log.store.reader, log.store.names.meta)
    let configuration = try #require(try await reader.call("STREAM.INFO.\(meta)")["config"])
    let members = (configuration.members ?? []).filter { $0.name != restriction }
    let body = members.map { "\"\($0.name)\":\(String(decoding: $0.value.bytes, as: UTF8.self))" }
    _ = try await reader.call(
      "STREAM.UPDATE.\(meta)",
      Array("{\(body.joined(separator: ",")),\"\(restriction)\":true}".utf8))
    await #expect(throws: LogError.self) { try await log.quarantine.clear() }
    #expect(log.quarantine.contains(key, 7))
  }

  @Test func `a message that does not exist counts as deleted`() async throws {
    let log = try await TestStore().open()
    defer { log.close() }
    try await log.quarantine.add([entry(7), entry(0)])
    let (reader, meta) = (log.store.reader, log.store.names.meta)
    let last = try await reader.bounds(of: meta).last
    for _ in 0..<2 { try await reader.delete(last - 1, in: meta) }
    try await reader.delete(last + 1, in: meta)
    #expect(try await reader.message(at: last - 1, in: meta) == nil)
  }

  @Test func `the end of a session removes its entries`() async throws {
    let log = try await TestStore().open()
    defer { log.close() }
    let other = StoredQuarantine.Entry(
      session: SessionKey(reactor: "counter", id: "other"), digest: 7, action: "1", at: .now,
      signal: "SIGILL")
    try await log.quarantine.add([entry(7), other])
    log.quarantine.removeLater(key)
    while log.quarantine.contains(key, 7) { try await Task.sleep(for: .milliseconds(2)) }
    #expect(log.quarantine.entries == [other])
  }
}
