import NATSClient
import Testing

@testable import NATSLog

/// The decisions of an append, without brokers and without a clock.
struct AppendMachineTests {
  private let batch = WriterMark(writer: Writer(name: "a", incarnation: 1), number: 7)
  private let void = WriterMark(writer: Writer(name: "a", incarnation: 1), number: 8)
  private let other = WriterMark(writer: Writer(name: "b", incarnation: 2), number: 1)

  /// An append after message 10 whose batch was published at 0.
  private func published(wait: Int64 = 1000) -> AppendMachine {
    var machine = AppendMachine(expecting: 10, batch: batch, void: void, now: 0, wait: wait)
    #expect(machine.tick(0) == .publish(.batch))
    machine.willPublish(.batch)
    return machine
  }

  /// An append whose batch was not acknowledged, and whose void message was published at 1000.
  private func voiding() -> AppendMachine {
    var machine = published()
    #expect(machine.tick(1000) == .publish(.void))
    machine.willPublish(.void)
    return machine
  }

  @Test func `a reply with a sequence commits the batch`() {
    var machine = published()
    let step = machine.didReceive(.stored(sequence: 11, isDuplicate: false), to: .batch, at: 1)
    #expect(step == .finish(.committed(11)))
    #expect(machine.isFinished)
    // A late reply to a repetition changes nothing.
    #expect(machine.didReceive(.otherSequence(11), to: .batch, at: 2) == .none)
    #expect(machine.tick(5000) == .none)
  }

  @Test func `without a reply the same message is sent again`() {
    var machine = published()
    #expect(machine.tick(100) == .none)
    #expect(machine.tick(250) == .publish(.batch))
    machine.willPublish(.batch)
    #expect(machine.tick(499) == .none)
    #expect(machine.tick(500) == .publish(.batch))
  }

  @Test(arguments: [
    (AppendReply.unavailable, Int64(21)), (.inFlight, 21), (.otherSequence(9), 51),
    (.otherSequence(10), 51),
  ])
  func `a reply of a stream that is not ready repeats the message later`(
    _ reply: AppendReply, _ time: Int64
  ) {
    var machine = published()
    #expect(machine.didReceive(reply, to: .batch, at: 1) == .none)
    #expect(machine.tick(time - 1) == .none)
    #expect(machine.tick(time) == .publish(.batch))
  }

  @Test func `a leader that stays behind the expected message is reported after two seconds`() {
    var machine = published(wait: 10_000)
    for now in stride(from: Int64(100), to: 2_100, by: 50) {
      #expect(machine.didReceive(.otherSequence(9), to: .batch, at: now) == .none)
    }
    let step = machine.didReceive(.otherSequence(9), to: .batch, at: 2_100)
    #expect(step == .report(last: 9, since: 100))
    // The message is repeated as before, and the two seconds begin again with another leader.
    #expect(machine.tick(2_150) == .publish(.batch))
    #expect(machine.didReceive(.unavailable, to: .batch, at: 2_160) == .none)
    #expect(machine.didReceive(.otherSequence(9), to: .batch, at: 4_000) == .none)
    let second = machine.didReceive(.otherSequence(0), to: .batch, at: 6_000)
    #expect(second == .report(last: 0, since: 4_000))
    let reply = AppendReply.stored(sequence: 11, isDuplicate: false)
    #expect(machine.didReceive(reply, to: .batch, at: 6_001) == .finish(.committed(11)))
  }

  /// nats-server 2.15 retains the id of a message that was dropped when the broker lost the
  /// leadership.
  @Test func `a leader that keeps the id of a dropped message is reported after two seconds`() {
    var machine = published(wait: 10_000)
    for now in stride(from: Int64(100), to: 2_100, by: 50) {
      #expect(machine.didReceive(.idInProcess, to: .batch, at: now) == .none)
      #expect(machine.tick(now + 49) == .none)
    }
    let step = machine.didReceive(.idInProcess, to: .batch, at: 2_100)
    #expect(step == .report(last: nil, since: 100))
    // The next leader accepts the same message.
    #expect(machine.tick(2_150) == .publish(.batch))
    let reply = AppendReply.stored(sequence: 11, isDuplicate: false)
    #expect(machine.didReceive(reply, to: .batch, at: 2_151) == .finish(.committed(11)))
  }

  @Test func `the pauses of a stream without a leader grow`() {
    var machine = published()
    var now: Int64 = 0
    for pause in [20, 40, 80, 160, 250, 250] as [Int64] {
      #expect(machine.didReceive(.unavailable, to: .batch, at: now) == .none)
      #expect(machine.tick(now + pause - 1) == .none)
      now += pause
      #expect(machine.tick(now) == (now < 1000 ? .publish(.batch) : .publish(.void)))
    }
  }

  @Test func `a message that a broken connection may have lost is sent again at once`() {
    var machine = published()
    #expect(machine.didReconnect(at: 30) == .publish(.batch))
    #expect(machine.didReceive(.otherSequence(99), to: .batch, at: 40) == .read(.after(10)))
    // The outcome is being read, so the message is not sent again.
    #expect(machine.didReconnect(at: 50) == .none)
  }

  @Test
  func
    `a duplicate reply leads to a read, which decides whether the batch is committed`()
  {
    for (mark, outcome) in [
      (batch, AppendMachine.Outcome.committed(12)), (other, .lost(to: other.writer)),
      (void, .unavailable),
    ] {
      var machine = published()
      let step = machine.didReceive(.stored(sequence: 12, isDuplicate: true), to: .batch, at: 1)
      #expect(step == .read(.at(12)))
      #expect(machine.tick(5000) == .none)
      #expect(machine.didRead((12, mark), at: 2) == .finish(outcome))
    }
  }

  @Test func `after a later sequence the message after the expected one is read, not the last`() {
    var machine = published()
    #expect(machine.didReceive(.otherSequence(99), to: .batch, at: 1) == .read(.after(10)))
    #expect(machine.didRead((11, batch), at: 2) == .finish(.committed(11)))

    machine = published()
    #expect(machine.didReceive(.otherSequence(99), to: .batch, at: 1) == .read(.after(10)))
    #expect(machine.didRead((13, nil), at: 2) == .finish(.lost(to: nil)))
  }

  @Test func `a message that cannot be read leads to another attempt`() {
    var machine = published()
    #expect(machine.didReceive(.otherSequence(99), to: .batch, at: 1) == .read(.after(10)))
    #expect(machine.didFailToRead(at: 2) == .none)
    #expect(machine.tick(52) == .publish(.batch))
    #expect(machine.didReceive(.otherSequence(99), to: .batch, at: 60) == .read(.after(10)))
    #expect(machine.didRead(nil, at: 61) == .none)
    #expect(machine.tick(111) == .publish(.batch))
  }

  @Test func `a batch that was never sent is known to be missing`() {
    var machine = AppendMachine(expecting: 10, batch: batch, void: void, now: 0, wait: 1000)
    #expect(machine.tick(0) == .publish(.batch))
    // The connection is interrupted: the message was not passed to it.
    #expect(machine.tick(1000) == .finish(.unavailable))
  }

  @Test func `a stored void message means that the batch is missing`() {
    var machine = voiding()
    let step = machine.didReceive(.stored(sequence: 11, isDuplicate: false), to: .void, at: 1001)
    #expect(step == .finish(.unavailable))
  }

  @Test func `after a duplicate reply to the void message, the stored message is read`() {
    var machine = voiding()
    let step = machine.didReceive(.stored(sequence: 11, isDuplicate: true), to: .void, at: 1001)
    #expect(step == .read(.at(11)))
    #expect(machine.didRead((11, batch), at: 1002) == .finish(.committed(11)))
  }

  @Test func `a late acknowledgement commits the batch`() {
    var machine = voiding()
    let step = machine.didReceive(.stored(sequence: 11, isDuplicate: false), to: .batch, at: 1001)
    #expect(step == .finish(.committed(11)))
  }

  @Test func `without any reply the outcome is unknown`() {
    var machine = voiding()
    #expect(machine.tick(1250) == .publish(.void))
    #expect(machine.tick(5999) == .publish(.void))
    #expect(machine.tick(6000) == .finish(.unknown))
  }

  @Test(arguments: [
    (AppendReply.full, AppendMachine.Outcome.full), (.tooLarge, .tooLarge),
    (.rejected("10060 x"), .rejected("10060 x")),
  ])
  func `a rejection is final only for the first message`(
    _ reply: AppendReply, _ outcome: AppendMachine.Outcome
  ) {
    var machine = published()
    #expect(machine.didReceive(reply, to: .batch, at: 1) == .finish(outcome))
    machine = published()
    #expect(machine.tick(250) == .publish(.batch))
    machine.willPublish(.batch)
    // The first message may still be in flight.
    #expect(machine.didReceive(reply, to: .batch, at: 251) == .none)
    #expect(machine.tick(1000) == .publish(.void))
  }

  @Test func `a message that exceeds the size is not sent again`() {
    var machine = AppendMachine(expecting: 10, batch: batch, void: void, now: 0, wait: 1000)
    #expect(machine.tick(0) == .publish(.batch))
    machine.willPublish(.batch)
    #expect(machine.didFailToPublish(.batch, isTooLarge: true) == .finish(.tooLarge))
  }

  @Test func `a message that the connection rejects was not sent`() {
    var machine = AppendMachine(expecting: 10, batch: batch, void: void, now: 0, wait: 1000)
    #expect(machine.tick(0) == .publish(.batch))
    machine.willPublish(.batch)
    #expect(machine.didFailToPublish(.batch, isTooLarge: false) == .none)
    #expect(machine.tick(1000) == .finish(.unavailable))
  }

  @Test(arguments: [
    (#"{"stream":"S","seq":12}"#, AppendReply.stored(sequence: 12, isDuplicate: false)),
    (#"{"stream":"S","seq":12,"duplicate":true}"#, .stored(sequence: 12, isDuplicate: true)),
    (
      #"{"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 31"}}"#,
      .otherSequence(31)
    ),
    (#"{"error":{"code":400,"err_code":10164,"description":"x"}}"#, .inFlight),
    (#"{"error":{"code":409,"err_code":10158,"description":"x"}}"#, .idInProcess),
    (#"{"error":{"code":503,"err_code":10077,"description":"maximum bytes exceeded"}}"#, .full),
    (#"{"error":{"code":503,"err_code":10077,"description":"raft: not leader"}}"#, .unavailable),
    (#"{"error":{"code":503,"err_code":10008,"description":"x"}}"#, .unavailable),
    (#"{"error":{"code":400,"err_code":10060,"description":"x"}}"#, .rejected("10060 x")),
    ("no JSON", .unavailable), ("{}", .unavailable), ("", .unavailable),
  ])
  func `each kind of reply of a broker is read`(_ text: String, _ reply: AppendReply) {
    #expect(AppendReply(.init(subject: "r", payload: Array(text.utf8))) == reply)
  }
}
