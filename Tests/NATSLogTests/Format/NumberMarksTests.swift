import ReactorCoding
import ReactorLog
import Testing

@testable import NATSLog

struct NumberMarksTests {
  private func outcome(
    _ number: UInt64, of series: String, at seconds: Int64 = 1_700_000_000
  ) -> StoredOutcome {
    StoredOutcome(
      key: IdempotencyKey(numbered: number, of: series),
      at: Timestamp(milliseconds: seconds * 1_000), version: 1, failure: nil)
  }

  private func name(_ number: UInt64, of series: String) -> String {
    IdempotencyKey(numbered: number, of: series).name
  }

  @Test func `a higher number than the highest one has no outcome`() {
    var marks = NumberMarks()
    #expect(marks.excludes(name(1, of: "n1.77aa")))
    marks.add([outcome(0x1F, of: "n1.77aa"), outcome(3, of: "n1.77aa")])
    #expect(!marks.excludes(name(0x1F, of: "n1.77aa")))
    #expect(!marks.excludes(name(4, of: "n1.77aa")))
    #expect(marks.excludes(name(0x20, of: "n1.77aa")))
    #expect(marks.excludes(name(1, of: "n1.77ab")))
  }

  @Test func `the key of a client is never excluded`() {
    let key = IdempotencyKey("n1.77aa.1f", for: [])
    #expect(!NumberMarks().excludes(key.name))
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
    #expect(!marks.isPartial)
    // All series may have requests under way: none of them loses its mark.
    marks.add([outcome(9, of: "next", at: Int64(limit))])
    #expect(marks.marks.count == limit && marks.isPartial)
    #expect(!marks.excludes(name(10, of: "next")) && marks.excludes(name(10, of: "n0")))
    let later = Int64(limit + 1) + NumberMarks.retention
    marks.add([outcome(9, of: "next", at: later)])
    #expect(marks.excludes(name(10, of: "next")) && !marks.excludes(name(10, of: "n0")))
    #expect(marks.marks.count == limit)
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
    #expect(LogMessage(Array(earlier.utf8), expecting: 1)?.numbers == .unknown)
  }

  @Test(arguments: ["[]", "{}", "[0,[]]", #"[0,["n",-1,0]]"#, #"[0,["n",1]]"#, "[0,5]"])
  func `damaged marks are not read`(_ text: String) throws {
    let json = try JSONDocument(parsing: Array(text.utf8)).root
    #expect(NumberMarks(json, at: .max) == nil)
  }
}
