import ReactorCoding
import ReactorLog
import TestSupport
import Testing

@testable import NATSLog

struct KeyHashesTests {
  private func outcome(_ name: String, at milliseconds: Int64 = 1_000) -> StoredOutcome {
    StoredOutcome(
      key: IdempotencyKey(stored: name, body: ""), at: Timestamp(milliseconds: milliseconds),
      version: 1, failure: nil)
  }

  private func hashes(_ outcomes: [StoredOutcome]) -> KeyHashes {
    var hashes = KeyHashes()
    hashes.add(outcomes)
    return hashes
  }

  /// Stored messages contain the hashes.
  @Test func `the hash of a key does not change`() {
    #expect(KeyHashes.hash(of: "") == 0xbe0c53)
    #expect(KeyHashes.hash(of: "a") == 0xdd0f69)
    #expect(KeyHashes.hash(of: "order-17") == 0x8c2b60)
    #expect(KeyHashes.hash(of: IdempotencyKey(numbered: 7, of: "n1.77aa").name) == nil)
  }

  @Test func `a message has the keys of the messages since the last complete block`() throws {
    var random = SplitMix64(seed: 7)
    var messages: [LogMessage] = []
    var head = SessionHead()
    for sequence in 1...700 {
      let outcomes = (0..<Int.random(in: 0...3, using: &random)).map {
        outcome("\(sequence)/\($0)")
      }
      let message =
        switch Int.random(in: 0..<20, using: &random) {
        case 0: head.voiding(now: .now)
        case 1 where sequence > 1: head.anchoring(PagedHistory(outcomes: outcomes), dropping: [])
        default: head.appending(LogBatch(outcomes: outcomes), to: "e", now: .now)
        }
      let read = try #require(
        LogMessage(message.json(expecting: sequence - 1), expecting: sequence - 1))
      #expect(read.keys == message.keys)
      // The keys are those of the messages that this message names, and no others.
      let block = (read.index.levels.first ?? []).flatMap {
        messages[$0.sequence - 1].batch.outcomes
      }
      #expect(read.keys == hashes(block), "\(sequence)")
      messages.append(read)
      head = SessionHead(read, at: sequence, by: nil)
    }
  }

  @Test func `a log with messages of an earlier release has key hashes from the next block on`()
    throws
  {
    var head = SessionHead()
    for sequence in 1...40 {
      var message = head.appending(LogBatch(outcomes: [outcome("\(sequence)")]), to: "e", now: .now)
      // The first five messages have no member for the keys.
      if sequence <= 5 { message.keys = nil }
      let read = try #require(
        LogMessage(message.json(expecting: sequence - 1), expecting: sequence - 1))
      head = SessionHead(read, at: sequence, by: nil)
      #expect((head.keys == nil) == (2..<16).contains(sequence), "\(sequence)")
    }
    #expect(head.keys?.count == 8)
  }

  @Test func `a block with many keys does not repeat them`() {
    var head = SessionHead()
    for sequence in 1...16 {
      let outcomes = (0..<200).map { outcome("\(sequence)/\($0)") }
      let message = head.appending(LogBatch(outcomes: outcomes), to: "e", now: .now)
      head = SessionHead(message, at: sequence, by: nil)
      #expect((head.keys == nil) == (6..<16).contains(sequence), "\(sequence)")
    }
    #expect(head.keys == KeyHashes())
  }

  @Test func `hashes are stored as text`() throws {
    let all = hashes((0..<50).map { outcome("\($0)") })
    var text: [UInt8] = []
    all.put(into: &text)
    #expect(text.count == 202)
    let json = try JSONDocument(parsing: text).root
    #expect(json.string.flatMap { KeyHashes($0) } == all)
    for damaged in ["A", "AAA", "AAA=", "AA==", "AA A", "AAAAB", "AAA\u{e9}"] {
      #expect(KeyHashes(damaged) == nil, "\(damaged)")
    }
  }

  // MARK: Pages

  @Test func `the keys of pages are retained as long as their outcomes, and the latest 10,000`()
    throws
  {
    var keys = PagedKeys()
    for page in 0..<120 as Range<Int64> {
      let outcomes = (0..<128).map { outcome("\(page)/\($0)", at: page) }
      keys.add(outcomes, retainingSince: 0)
    }
    #expect((PagedKeys.bound..<PagedKeys.bound + 2_048).contains(keys.count))
    #expect(keys.hashes.values.suffix(10_000).first == KeyHashes.hash(of: "41/112"))
    var text: [UInt8] = []
    keys.put(into: &text)
    #expect(text.count < 64 << 10)
    #expect(PagedKeys(try JSONDocument(parsing: text).root) == keys)
    keys.add([], retainingSince: 119)
    #expect(keys.hashes.values.last == KeyHashes.hash(of: "119/127"))
    #expect(keys.parts.count == 1)
    keys.add([], retainingSince: 120)
    #expect(keys == PagedKeys())
  }

  @Test(arguments: ["1", "{}", "[1]", "[[]]", "[[1]]", #"[["1","AAAA"]]"#, #"[[1,"AAA"]]"#])
  func `damaged keys of pages are not read`(_ text: String) throws {
    #expect(PagedKeys(try JSONDocument(parsing: Array(text.utf8)).root) == nil)
  }

  @Test func `a beginning of an earlier release has unknown keys`() throws {
    let earlier = #"{"p":[[0,5]],"n":[0,0],"d":[]}"#
    let beginning = try #require(Beginning(try JSONDocument(parsing: Array(earlier.utf8)).root))
    #expect(beginning.keys == nil)
    var text: [UInt8] = []
    beginning.put(into: &text)
    #expect(Beginning(try JSONDocument(parsing: text).root) == beginning)
  }
}
