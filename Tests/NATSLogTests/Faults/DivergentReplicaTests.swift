import NATSClient
import ReactorCoding
import ReactorLog
import Synchronization
import Testing

@testable import NATSLog

/// Reads of a stream, one of whose replicas has other messages at the same sequences.
///
/// With nats-server 2.9 a replica remains so if it led the stream while it was cut off from the other
/// brokers. The test responds to direct gets in place of that replica.
struct DivergentReplicaTests {
  /// The message that the replica has at a sequence is a later one: of another session, or of the same.
  @Test(arguments: [1, 2])
  func `its messages are read from the leader`(_ shift: Int) async throws {
    var test = try TestStore()
    test.settings.streams = 1
    let log = try await test.open()
    for version in 1...40 {
      try await log.counter("one").append(version...version)
      try await log.counter("two").append(version...version)
    }
    let stream = log.store.names.log(0)
    try await disableDirectGets(log.store.reader, stream)
    var found: [Int: StreamMessage] = [:]
    for sequence in 1...80 {
      found[sequence] = try await log.store.reader.leaderMessage(at: sequence, in: stream)
    }
    let replica = try Replica(test.settings.addresses, of: stream, found, shift)
    for id in ["one", "two"] {
      let entries = try await log.counter(id).entries(after: 0, limit: 1000)
      #expect(entries == (1...40).map { LogEntry(counted: $0) })
    }
    #expect(replica.served > 0)
  }

  /// Ends the responses of the broker to direct gets.
  private func disableDirectGets(_ reader: StreamReader, _ stream: String) async throws {
    let info = try await reader.call("STREAM.INFO.\(stream)")
    let config = try #require(info["config"]?.bytes)
    let text = String(decoding: config, as: UTF8.self)
      .replacing(#""allow_direct":true"#, with: #""allow_direct":false"#)
    _ = try await reader.call("STREAM.UPDATE.\(stream)", Array(text.utf8))
  }
}

/// Responds to direct gets with the messages of later sequences.
private final class Replica: Sendable {
  private let subscription: NATSSubscription
  private let count: Counted

  private final class Counted: Sendable { let value = Atomic(0) }

  /// The number of responses.
  var served: Int { count.value.load(ordering: .relaxed) }

  init(
    _ addresses: NATSAddresses, of stream: String, _ found: [Int: StreamMessage], _ shift: Int
  ) throws {
    let connection = try NATSConnection(NATSConnection.Options(addresses, name: "replica"))
    let count = Counted()
    self.count = count
    subscription = try connection.subscribe(to: "$JS.API.DIRECT.GET.\(stream)") { request in
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
    try connection.flush()
  }
}
