import ReactorCoding
import ReactorLog
import Testing

@testable import NATSLog

struct NumberMarksTests {
  /// The time of the outcomes, in seconds.
  private static let start: Int64 = 1_700_000_000

  private func outcome(
    _ number: UInt64, of series: String, at seconds: Int64 = start
  ) -> StoredOutcome {
    StoredOutcome(
      key: IdempotencyKey(numbered: number, of: series),
      at: Timestamp(milliseconds: seconds * 1_000), version: 1, failure: nil)
  }

  private func name(_ number: UInt64, of series: String) -> String {
    IdempotencyKey(numbered: number, of: series).name
  }

  private func excludes(
    _ marks: NumberMarks, _ number: UInt64, of series: String, at seconds: Int
  ) -> Bool {
    marks.excludes(name(number, of: series), at: Int64(seconds) * 1_000)
  }

  @Test func `a higher number than the highest one has no outcome`() {
    var marks = NumberMarks()
    #expect(excludes(marks, 1, of: "n1.77aa", at: Int(Self.start)))
    marks.add([outcome(0x1F, of: "n1.77aa"), outcome(3, of: "n1.77aa")])
    #expect(!excludes(marks, 0x1F, of: "n1.77aa", at: Int(Self.start)))
    #expect(!excludes(marks, 4, of: "n1.77aa", at: Int(Self.start)))
    #expect(excludes(marks, 0x20, of: "n1.77aa", at: Int(Self.start)))
    #expect(excludes(marks, 1, of: "n1.77ab", at: Int(Self.start)))
  }

  @Test func `the key of a client is never excluded`() {
    let key = IdempotencyKey("n1.77aa.1f", for: [])
    #expect(!NumberMarks().excludes(key.name, at: 0))
    #expect(IdempotencyKey.number(in: key.name) == nil)
    #expect(IdempotencyKey.number(in: "") == nil && IdempotencyKey.number(in: "\u{1}x") == nil)
    // The name of a node may have dots.
    let numbered = IdempotencyKey.number(in: name(255, of: "eu.n1.77aa"))
    #expect(numbered?.number == 255 && numbered?.series == "eu.n1.77aa")
  }

  @Test func `the number of series is bounded, and what is not known is not excluded`() {
    var marks = NumberMarks()
    let limit = NumberMarks.limit
    for series in 0..<limit { marks.add([outcome(9, of: "n\(series)", at: Int64(series))]) }
    #expect(marks.unmarkedAt == nil)
    // All series may have requests under way: none of them loses its mark.
    marks.add([outcome(9, of: "next", at: Int64(limit))])
    #expect(marks.marks.count == limit && marks.unmarkedAt == Int64(limit))
    #expect(!excludes(marks, 10, of: "next", at: limit) && excludes(marks, 10, of: "n0", at: limit))
    let later = limit + 1 + Int(NumberMarks.retention)
    marks.add([outcome(9, of: "next", at: Int64(later))])
    #expect(excludes(marks, 10, of: "next", at: later))
    #expect(marks.marks.count == limit)
  }

  @Test func `a series without a mark is excluded once its outcomes are older than any request`() {
    var marks = NumberMarks()
    let (limit, retention) = (NumberMarks.limit, Int(NumberMarks.retention))
    for series in 0...limit { marks.add([outcome(9, of: "n\(series)", at: 100)]) }
    #expect(!excludes(marks, 10, of: "n\(limit)", at: 100 + retention))
    #expect(!excludes(marks, 10, of: "restarted", at: 100 + retention))
    #expect(excludes(marks, 10, of: "restarted", at: 101 + retention))
    // The dropped mark is from time 100, which becomes `unmarkedAt`. It is older than any pending
    // request, so an unknown series is excluded.
    marks.add([outcome(1, of: "restarted", at: Int64(101 + retention))])
    #expect(marks.unmarkedAt == 100)
    #expect(excludes(marks, 10, of: "another", at: 101 + retention))
  }

  @Test func `messages repeat the marks, and those of an earlier release have unknown ones`() throws
  {
    var head = SessionHead()
    var sequence = 0
    for number in 1...40 as ClosedRange<UInt64> {
      let batch = LogBatch(outcomes: [outcome(number, of: "n\(number % 3).77aa")])
      let message = head.appending(batch, to: "e", now: .now)
      let read = try #require(
        LogMessage(message.json(expecting: sequence), expecting: sequence))
      #expect(read.numbers == message.numbers)
      sequence += 1
      head = SessionHead(read, at: sequence, by: nil)
    }
    #expect(head.numbers.marks.map(\.number).sorted() == [38, 39, 40])
    let anchor = head.anchoring(PagedHistory(version: head.version), dropping: [])
    #expect(anchor.numbers == head.numbers)
    #expect(head.voiding(now: .now).numbers == head.numbers)
    #expect(head.creating("f", parameters: nil, now: .now).numbers == NumberMarks())
    let earlier = #"{"f":1,"k":"batch","e":"e","v":1,"n":1,"t":5,"c":1,"j":{}}"#
    #expect(LogMessage(Array(earlier.utf8), expecting: 1)?.numbers == .unknown(at: 5))
  }

  @Test func `messages have the age of the latest outcome without a mark while it counts`() throws {
    var marks = NumberMarks()
    for series in 0...NumberMarks.limit { marks.add([outcome(9, of: "n\(series)", at: 100)]) }
    for (seconds, expected) in [(100, 100), (700, 100), (701, nil)] as [(Int64, Int64?)] {
      var text: [UInt8] = []
      marks.put(into: &text, at: seconds * 1_000)
      let read = NumberMarks(try JSONDocument(parsing: text).root, at: seconds * 1_000)
      #expect(read?.marks == marks.marks && read?.unmarkedAt == expected)
    }
  }

  @Test(arguments: ["[]", "{}", "[0,[]]", #"[0,["n",-1,0]]"#, #"[0,["n",1]]"#, "[0,5]"])
  func `damaged marks are not read`(_ text: String) throws {
    let json = try JSONDocument(parsing: Array(text.utf8)).root
    #expect(NumberMarks(json, at: .max) == nil)
  }

  @Test(arguments: [Int64.max, .min])
  func `ages that no process writes do not end the process`(_ age: Int64) throws {
    let json = try JSONDocument(parsing: Array("[\(age),[\"n\",1,\(age)]]".utf8)).root
    let marks = try #require(NumberMarks(json, at: 5_000))
    for time in [5_000, 9_000, .max] as [Int64] {
      var text: [UInt8] = []
      marks.put(into: &text, at: time)
      #expect(NumberMarks(try JSONDocument(parsing: text).root, at: time) != nil)
      _ = marks.excludes(name(2, of: "other"), at: time)
    }
  }
}
