import Foundation
import ReactorLog
import Testing

@testable import NATSLog

struct LogMessageTests {
  private let key = IdempotencyKey("k \"1\"\n\u{1}", for: Array("body".utf8))

  private func json(_ text: String) -> [UInt8] { Array(text.utf8) }

  private var batch: LogBatch {
    let at = Timestamp(milliseconds: 1_700_000_000_000)
    let failure = ActionFailure(
      index: 1, reason: ActionFailure.Reason(status: 409, title: "Not \"now\"", detail: nil))
    let action = AcceptedAction(
      id: .init(request: 3, place: 1), action: json(#"{"hold":"ä"}"#), isInArray: true, key: key,
      principal: json(#"{"id":"ada"}"#), at: at, runs: 2, failure: failure, sendName: "send")
    return LogBatch(
      [
        LogEntry(
          version: 5, at: at, action: json("\"increase\""),
          global: .init(name: "user", revision: .max), mutation: json(#"{"a": [1, 2.50]}"#),
          by: "ada \"x\""),
        LogEntry(version: 6, at: at, action: nil, mutation: json("null")),
      ],
      accepted: [action], finished: [.init(request: 1, place: 0)],
      outcomes: [StoredOutcome(key: key, at: at, version: 6, failure: failure)],
      timers: [
        StoredTimerChange(
          id: "t",
          timer: StoredTimer(id: "t", due: at, action: json("1"), period: 60, catchesUp: true)),
        StoredTimerChange(id: "old", timer: nil),
      ])
  }

  private func reread(_ message: LogMessage, expecting expected: Int) -> LogMessage? {
    LogMessage(message.json(expecting: expected), expecting: expected)
  }

  @Test func `a message is read as it was written, byte for byte`() throws {
    var index = HistoryIndex()
    for number in 0..<20 {
      index.append(HistoryIndex.Position(version: number / 5, sequence: 100 + 7 * number))
    }
    var message = LogMessage(
      kind: .batch, epoch: "k3x9", version: 4, number: 20, at: 1_700_000_000_000)
    message.index = index
    message.first = 100
    message.created = 1_600_000_000_000
    message.hasParameters = true
    message.hasBeginning = true
    message.batch = batch
    message.base = LogMessage.Base(sequence: 205, count: 4, size: 900)
    message.unfinished = 1
    message.timers = 1
    message.keyed = 2
    #expect(reread(message, expecting: 233) == message)
  }

  @Test func `a base has the whole journal`() {
    var journal = Journal()
    journal.apply(batch)
    var message = LogMessage(kind: .create, epoch: "e", version: 0, at: 1)
    message.parameters = json(#"{"title":"x"}"#)
    message.hasParameters = true
    message.journal = journal
    #expect(reread(message, expecting: 0) == message)
    message.journal = Journal()
    #expect(reread(message, expecting: 0)?.journal == Journal())
  }

  @Test func `an anchor has the pages, the last entries, and the writer before it`() {
    var pages = HistoryIndex()
    for number in 0..<40 {
      pages.append(HistoryIndex.Position(version: 128 * number, sequence: 9 + number))
    }
    var head = SessionHead()
    head.status = .stored
    (head.sequence, head.content, head.first) = (900, 890, 7)
    (head.epoch, head.version, head.count) = ("e", 5126, 5126)
    head.writer = Writer(name: "host.local", incarnation: 0x77aa)
    (head.parameters, head.hasParameters) = (json("[1]"), true)
    head.journal.apply(batch)
    (head.unfinished, head.timers, head.keyed) = (1, 1, 3)
    let history = PagedHistory(
      pages: pages, floor: 256, snapshot: 12, version: 5120,
      entries: (5121...5126).map { LogEntry(counted: $0) }, outcomes: batch.outcomes)
    let anchor = head.anchoring(history, dropping: Array(pages.nodes.prefix(2)))
    #expect(reread(anchor, expecting: 900) == anchor)
    let next = head.following(anchor, at: 950, by: Writer(name: "cleaner", incarnation: 1))
    #expect(next.writer == head.writer)
    #expect((next.content, next.first, next.paged) == (890, 950, 5120))
    #expect((next.record, next.journal) == (head.record, head.journal))
    #expect(next.beginning.pages == pages)
    #expect(next.index.count == 1)
    let message = next.appending(LogBatch([LogEntry(counted: 5127)]), to: "e", now: .now)
    #expect(reread(message, expecting: 950) == message)
    let later = next.following(message, at: 951, by: nil)
    #expect((later.version, later.paged, later.hasBeginning) == (5127, 5120, true))
    #expect(later.beginning == next.beginning)
    let end = later.ending(now: .now)
    #expect(reread(end, expecting: 951) == end)
    #expect(end.beginning.dropped.count == 2 + pages.nodes.count)
  }

  @Test func `a page is read as it was written`() {
    var index = HistoryIndex()
    for number in 0..<20 {
      index.append(HistoryIndex.Position(version: number, sequence: 3 * number + 1))
    }
    let page = Page(
      epoch: "e", version: 4, index: index, previous: 61, entries: batch.entries,
      outcomes: batch.outcomes)
    #expect(Page(page.payload) == page)
    #expect(Page(json("{}")) == nil)
  }

  @Test func `a snapshot is read as it was written`() {
    var chain = SnapshotRecord.Chain(
      earlier: [.init(version: 3, sequence: 8, schema: "s")], lastMilestone: 4096)
    chain.milestones.append(HistoryIndex.Position(version: 2048, sequence: 4))
    var record = SnapshotRecord(
      epoch: "e", snapshot: Snapshot(version: 5000, state: json("{}\n{}"), schema: "s"),
      chain: chain, at: 17)
    record.previous = 4
    #expect(SnapshotRecord(record.payload) == record)
  }

  @Test(arguments: [
    "", "{}", "[]", #"{"f":2,"k":"batch","e":"a","v":0,"n":0,"t":0}"#,
    #"{"f":1,"k":"other","e":"a","v":0,"n":0,"t":0}"#,
    #"{"f":1,"k":"batch","e":"a","v":-1,"n":0,"t":0}"#,
    #"{"f":1,"k":"batch","e":"a","v":0,"n":0,"t":0,"m":[{}]}"#,
    #"{"f":1,"k":"batch","e":"a","v":0,"n":0,"t":0,"i":[[1]]}"#,
    #"{"f":1,"k":"batch","e":"a","v":0,"n":0,"t":0,"x":[1]}"#,
    #"{"f":1,"k":"batch","e":"a","v":0,"n":0,"t":0,"o":[{"t":1}]}"#,
    #"{"f":1,"k":"batch","e":"a","v":0,"n":0,"t":0,"c":9223372036854775807}"#,
    #"{"f":1,"k":"batch","e":"a","v":0,"n":0,"t":0,"b":[1,9223372036854775807,1]}"#,
    #"{"f":1,"k":"batch","e":"a","v":0,"n":0,"t":0,"b":[1,1,9223372036854775807]}"#,
    #"{"f":1,"k":"batch","e":"a","v":0,"n":0,"t":0,"i":[[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[1,1]]}"#,
    #"{"f":1,"k":"batch","e":"a","v":0,"n":0,"t":0,"a":[{"r":1,"l":0,"t":2,"n":9223372036854775807,"a":1}]}"#,
  ])
  func `other payloads are rejected`(_ text: String) {
    #expect(LogMessage(json(text), expecting: 0) == nil)
  }

  @Test(arguments: [
    #"{"f":1,"e":"a","v":9223372036854775807,"i":[],"q":0,"m":[{"t":1,"m":1}],"o":[]}"#,
    #"{"f":1,"e":"a","v":0,"i":[],"q":-9223372036854775808,"m":[],"o":[]}"#,
    #"{"f":1,"s":"a","b":0,"n":9223372036854775807,"t":0,"v":[0],"i":[],"c":[{"k":"e","i":"x","e":"a","v":0,"n":0,"t":0}]}"#,
    #"{"f":1,"s":"a","b":0,"n":0,"t":0,"v":[9223372036854775807],"i":[],"c":[]}"#,
    #"{"f":1,"e":"k","v":3,"h":"a","l":9223372036854775807,"k":[],"q":[]}"# + "\n1",
  ])
  func `pages, records and snapshots with numbers out of range are rejected`(_ text: String) {
    #expect(Page(json(text)) == nil)
    #expect(FeedRecord(json(text)) == nil)
    #expect(SnapshotRecord(json(text)) == nil)
  }

  @Test func `the message after one with damaged positions does not trap`() throws {
    let text =
      #"{"f":1,"k":"batch","e":"a","v":0,"n":0,"t":0,"i":[[9223372036854775807,-9223372036854775808]]}"#
    let message = try #require(LogMessage(json(text), expecting: 4))
    let head = SessionHead(message, at: 5, by: nil)
    #expect(!head.appending(LogBatch(), to: "a", now: .now).json(expecting: 5).isEmpty)
  }

  // MARK: The bound of the journal

  private func accepted(_ request: Int, size: Int) -> AcceptedAction {
    AcceptedAction(
      id: .init(request: request, place: 0), action: [UInt8](repeating: 0x31, count: size),
      isInArray: false, key: nil, at: Timestamp(milliseconds: 1))
  }

  @Test func `a batch has room unless the journal grows beyond half of a message`() {
    let bound = 10_000
    var head = SessionHead()
    for request in 1...4 {
      let batch = LogBatch(accepted: [accepted(request, size: 1000)])
      #expect(head.hasRoom(for: batch, in: bound))
      head = head.following(
        head.appending(batch, to: "e", now: .now, bound: bound), at: request, by: nil)
    }
    let next = accepted(5, size: 1000)
    #expect(!head.hasRoom(for: LogBatch(accepted: [next]), in: bound))
    let timer = StoredTimer(id: "t", due: .now, action: [UInt8](repeating: 0x31, count: 1000))
    let timers = [StoredTimerChange(id: "t", timer: timer)]
    #expect(!head.hasRoom(for: LogBatch(timers: timers), in: bound))
    #expect(
      head.hasRoom(
        for: LogBatch(accepted: [next], finished: [.init(request: 1, place: 0)]), in: bound))
    // An action of a journal that an earlier release has filled can be written again, and finish.
    #expect(head.hasRoom(for: LogBatch(accepted: [accepted(1, size: 1000)]), in: 100))
    #expect(head.hasRoom(for: LogBatch(finished: [.init(request: 1, place: 0)]), in: 100))
  }

  @Test(arguments: [nil, 1_000])
  func `a timer fires although the journal has no room for another one`(period: Int64?) {
    let bound = 10_000
    var head = SessionHead()
    func timer(_ id: String, size: Int = 1_000) -> StoredTimer {
      StoredTimer(
        id: id, due: .now, action: [UInt8](repeating: 0x31, count: size), period: period)
    }
    var count = 0
    while true {
      let next = LogBatch(timers: [StoredTimerChange(id: "t\(count)", timer: timer("t\(count)"))])
      guard head.hasRoom(for: next, in: bound) else { break }
      count += 1
      head = head.following(
        head.appending(next, to: "e", now: .now, bound: bound), at: count, by: nil)
    }
    #expect(count == 4)
    let fired = LogBatch(
      accepted: [accepted(1, size: 1_000)],
      timers: [StoredTimerChange(id: "t0", timer: period == nil ? nil : timer("t0"))])
    #expect(head.hasRoom(for: fired, in: bound))
    // A journal that an earlier release has filled.
    #expect(head.hasRoom(for: fired, in: period == nil ? 100 : 8_000))
  }

  @Test func `a journal that does not fit beside a batch is written again later`() throws {
    let bound = 10_000
    var head = SessionHead()
    for request in 1...4 {
      let batch = LogBatch(accepted: [accepted(request, size: 1000)])
      head = head.following(
        head.appending(batch, to: "e", now: .now, bound: bound), at: request, by: nil)
    }
    head.base = LogMessage.Base(sequence: 4, count: SessionHead.baseInterval, size: 100)
    let large = LogEntry(
      version: 1, at: .now, action: nil, mutation: [UInt8](repeating: 0x31, count: 7000))
    let message = head.appending(
      LogBatch([large], finished: [.init(request: 1, place: 0)]), to: "e", now: .now, bound: bound)
    #expect(message.journal == nil)
    #expect(message.json(expecting: 4).count < bound)
    head = head.following(message, at: 5, by: nil)
    let next = head.appending(
      LogBatch([LogEntry(counted: 2)]), to: "e", now: .now, bound: bound)
    #expect(next.journal?.accepted.count == 3)
    #expect(next.json(expecting: 5).count < bound)
  }

  @Test func `a head is restored from its stored message`() throws {
    var head = SessionHead()
    var messages: [Int: LogMessage] = [:]
    for number in 1...700 {
      let entries = [
        LogEntry(version: number, at: Timestamp(milliseconds: 1), action: nil, mutation: json("1"))
      ]
      let action = AcceptedAction(
        id: .init(request: number, place: 0), action: [UInt8](repeating: 0x31, count: 100),
        isInArray: false, key: nil, at: Timestamp(milliseconds: 1))
      var batch = LogBatch(entries, accepted: [action])
      if number > 5 { batch.finished = [.init(request: number - 5, place: 0)] }
      #expect(head.accepts("e", number - 1))
      let message = head.appending(batch, to: "e", now: Timestamp(milliseconds: 1))
      let stored = try #require(reread(message, expecting: head.sequence))
      #expect(stored == message)
      messages[number * 3] = stored
      head = head.following(message, at: number * 3, by: nil)
      #expect(head.version == number)
      #expect(head.unfinished == min(number, 5))
      // A reader's journal: the journal of the base message, with the batches since then applied.
      var journal = try #require(messages[head.base.sequence]?.journal)
      for sequence in stride(from: head.base.sequence + 3, through: head.sequence, by: 3) {
        journal.apply(try #require(messages[sequence]).batch)
      }
      #expect(journal == head.journal)
      #expect(head.base.count <= 64)
    }
  }

  @Test func `an empty message takes no place in the versions`() {
    var head = SessionHead()
    let void = head.voiding(now: Timestamp(milliseconds: 5))
    head = head.following(void, at: 4, by: nil)
    #expect(head.status == .none)
    #expect(head.sequence == 4)
    let create = head.creating("e", parameters: nil, now: Timestamp(milliseconds: 6))
    head = head.following(create, at: 9, by: nil)
    #expect(
      head.record
        == .stored(StoredSession(epoch: "e", version: 0, lastActiveAt: Timestamp(milliseconds: 6))))
    head = head.following(head.voiding(now: Timestamp(milliseconds: 7)), at: 12, by: nil)
    #expect(head.version == 0)
    #expect(head.count == 2)
    head = head.following(head.ending(now: Timestamp(milliseconds: 8)), at: 13, by: nil)
    #expect(head.record == .ended)
    head = head.following(head.voiding(now: Timestamp(milliseconds: 9)), at: 14, by: nil)
    #expect(head.record == .ended)
    #expect(!head.accepts("e", 0))
  }

  @Test(arguments: ["a", "A-b_c", "a.b", "~", "..a", "\u{e4}*>", ""])
  func `a name is one token of a subject`(_ name: String) {
    let token = StoreNames.escaped(name)
    #expect(!token.utf8.contains { [0x2E, 0x20, 0x2A, 0x3E].contains($0) })
    #expect(StoreNames.unescaped(token[...]) == name)
  }

  @Test func `a session has the same stream in every release`() {
    let names = StoreNames(prefix: "p", logStreams: 12)
    let key = SessionKey(reactor: "counter", id: "demo.1")
    #expect(StoreNames.hash(of: key) == 0xa41a_92b1_4d39_a43a)
    #expect(names.logNumber(of: key) == 2)
    #expect(StoreNames.session(of: names.logSubject(of: key)) == key)
    #expect(StoreNames.session(of: names.mark("w", key)) == key)
  }

  @Test func `the writer of a message is read`() {
    let mark = WriterMark(writer: Writer(name: "host.local", incarnation: 0x77aa), number: 5120)
    #expect(mark.description == "host.local.77aa.5120")
    #expect(WriterMark(mark.description) == mark)
    #expect(WriterMark("a.b") == nil)
    #expect(WriterMark("") == nil)
  }

  @Test(arguments: [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob")])
  func `Base64 of RFC 4648 is decoded`(_ text: String, _ decoded: String) {
    #expect(Base64.decode(Array(text.utf8)[...]) == Array(decoded.utf8))
  }

  @Test func `bytes of all lengths and values are decoded as Foundation encodes them`() {
    for count in 0...300 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) }
      let text = Array("\"\(Data(bytes).base64EncodedString())\"".utf8)
      #expect(Base64.decode(text.dropFirst().dropLast()) == bytes)
    }
  }

  @Test(arguments: ["Z", "Zm9", "Zm9-", "-m9v", "Z===", "====", "Zg==Zm9v", "Zg=v", "Zm9v\n\n\n\n"])
  func `a text that is no Base64 is rejected`(_ text: String) {
    #expect(Base64.decode(Array(text.utf8)[...]) == nil)
  }
}
