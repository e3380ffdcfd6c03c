import NATSClient
import ReactorCoding
import ReactorLog
import Synchronization
import Testing

@testable import NATSLog

/// Reads of a stream that has a divergent replica: one with other messages at the same sequences.
///
/// With nats-server 2.9 a replica stays divergent if it led the stream while it was cut off from
/// the other brokers. The test responds to direct gets in place of that replica.
struct DivergentReplicaTests {
  /// For each sequence, the replica returns the message `shift` sequences later: with a shift of 1
  /// a message of the other session, with 2 of the same one.
  @Test(arguments: [1, 2])
  func `the messages of a divergent replica are read from the leader`(_ shift: Int) async throws {
    var test = try TestStore()
    test.settings.streams = 1
    let log = try await test.open()
    for version in 1...40 {
      try await log.counter("one").append(version...version)
      try await log.counter("two").append(version...version)
    }
    let stream = log.store.names.log(0)
    var found: [Int: StreamMessage] = [:]
    for sequence in 1...80 {
      found[sequence] = try await log.store.reader.message(at: sequence, in: stream)
    }
    let replica = try await Replica(of: log, test.settings.addresses, [stream: found], shift)
    for id in ["one", "two"] {
      let entries = try await log.counter(id).entries(after: 0, limit: 1000)
      #expect(entries == (1...40).map { LogEntry(counted: $0) })
    }
    #expect(replica.served == 0)
  }

  @Test func `pages, snapshots, changes and what is cleaned are read from the leader`() async throws
  {
    var test = try TestStore()
    test.settings.streams = 1
    test.settings.changeRetention = .seconds(3600)
    test.settings.cleaning = LogCleaner.Rules(minimum: 0, growth: 0, age: 0, interval: 3600)
    let log = try await test.open()
    defer { log.close() }
    let replica = try await Replica(of: log, test.settings.addresses, [:], 0)
    let session = log.counter("one")
    for last in stride(from: 64, through: 4480, by: 64) {
      try await session.append(last - 63...last)
      session.save(
        Snapshot(version: last, state: Array("\(last)".utf8), schema: "s"), of: "one")
      log.drain()
    }
    let feed = try #require(log.changes)
    // The session begins, and changes with each batch.
    while feed.latest < 71 { try await Task.sleep(for: .milliseconds(2)) }
    #expect(try feed.changes(after: 0, limit: 100).map(\.cursor.version).last == 4480)
    #expect(try await log.cleaner.clean(0))
    let entries = try await session.entries(after: 4000, limit: 1000)
    #expect(entries == (4001...4480).map { LogEntry(counted: $0) })
    for version in [2100, 4416, 4480] {
      let found = try await wait { (done: @escaping ReadCompletion<Snapshot?>) in
        session.snapshot(atOrBefore: version, of: nil, completion: done)
      }
      #expect(found?.version == [2100: 2048][version] ?? version)
    }
    let (key, target) = (
      SessionKey(reactor: "counter", id: "one"), SessionKey(reactor: "counter", id: "two")
    )
    try await wait {
      log.fork(
        key, at: Cursor(epoch: "one", version: 4480), to: target, epoch: "fork", completion: $0)
    }
    #expect(try await log.counter("two").load().snapshot?.version == 4480)
    #expect(replica.served == 0)
  }
}

/// Responds to direct gets in place of the brokers: with the messages of later sequences.
private final class Replica: Sendable {
  private let subscriptions: [NATSSubscription]
  private let count: Counted

  private final class Counted: Sendable { let value = Atomic(0) }

  /// The number of responses.
  var served: Int { count.value.load(ordering: .relaxed) }

  init(
    of log: NATSLog, _ addresses: NATSAddresses, _ messages: [String: [Int: StreamMessage]],
    _ shift: Int
  ) async throws {
    let names = log.store.names
    let streams =
      [names.log(0), names.meta, names.feed]
      + (0..<StoreNames.snapshotStreams).flatMap { [names.snapshots($0), names.pages($0)] }
    let connection = try NATSConnection(NATSConnection.Options(addresses, name: "replica"))
    let count = Counted()
    var subscriptions: [NATSSubscription] = []
    for stream in streams where stream != names.feed || log.store.hasFeed {
      try await Self.disableDirectGets(log.store.reader, stream)
      let found = messages[stream] ?? [:]
      let subscription = try connection.subscribe(to: "$JS.API.DIRECT.GET.\(stream)") { request in
        let digits = request.payload.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard let reply = request.reply, let sequence = Int(String(decoding: digits, as: UTF8.self))
        else { return }
        count.value.add(1, ordering: .relaxed)
        let message = found[sequence + shift]
        let position = [("Nats-Sequence", "\(sequence)"), ("Nats-Subject", message?.subject ?? "")]
        let headers = message.map { $0.headers.map { ($0.key, $0.value) } + position }
        try? connection.publish(
          message?.payload ?? [], to: reply, headers: headers ?? [("Status", "404")])
      }
      subscriptions.append(subscription)
    }
    (self.count, self.subscriptions) = (count, subscriptions)
    try connection.flush()
  }

  /// Disables direct gets of a stream, so that the broker does not respond to them.
  private static func disableDirectGets(_ reader: StreamReader, _ stream: String) async throws {
    let info = try await reader.call("STREAM.INFO.\(stream)")
    let config = try #require(info["config"]?.bytes)
    let text = String(decoding: config, as: UTF8.self)
      .replacing(#""allow_direct":true"#, with: #""allow_direct":false"#)
    _ = try await reader.call("STREAM.UPDATE.\(stream)", Array(text.utf8))
  }
}
