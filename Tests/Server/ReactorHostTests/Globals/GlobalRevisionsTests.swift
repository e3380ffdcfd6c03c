import ReactorLog
import Testing

@testable import ReactorHost

struct GlobalRevisionsTests {
  private func join(_ name: String, _ number: Int = 1, isJoin: Bool = true) -> ValueObservation {
    ValueObservation(name: name, number: number, isJoin: isJoin)
  }

  @Test func `a value is applied if a join receives it and its mark is stored`() {
    let revisions = GlobalRevisions(["price": 7])
    let old = OutsideValue(revision: 7)
    let result1 = revisions.receive(old, by: join("price"))
    #expect(result1)
    let result2 = revisions.receive(old, by: join("price", isJoin: false))
    #expect(!result2)
    let result3 = revisions.receive(OutsideValue(revision: 8), by: join("price"))
    #expect(!result3)
    let result4 = revisions.claim()
    #expect(result4 == [LogEntry.GlobalMark(name: "price", revision: 8)])
    let result5 = revisions.receive(OutsideValue(revision: 8), by: join("price"))
    #expect(result5)
  }

  @Test func `null is the value of a session that has received none`() {
    let revisions = GlobalRevisions([:])
    let result6 = revisions.receive(OutsideValue(revision: 1, isNull: true), by: join("stock"))
    #expect(result6)
    revisions.didCause(LogEntry.GlobalMark(name: "stock", revision: 2))
    let result7 = revisions.receive(OutsideValue(revision: 3, isNull: true), by: join("stock"))
    #expect(!result7)
  }

  @Test func `an old value is not applied beside a new one that has caused no mutation`() {
    let revisions = GlobalRevisions(["a": 1, "b": 2])
    let result8 = revisions.receive(OutsideValue(revision: 5), by: join("a"))
    #expect(!result8)
    let result9 = revisions.receive(OutsideValue(revision: 2), by: join("b"))
    #expect(!result9)
    revisions.didCause(LogEntry.GlobalMark(name: "a", revision: 5))
    let result10 = revisions.receive(OutsideValue(revision: 2), by: join("b"))
    #expect(result10)
    let result11 = revisions.claim().isEmpty
    #expect(result11)
  }

  @Test func `each observation of a value has a mark of its own`() {
    let revisions = GlobalRevisions([:])
    let result12 = [1, 2, 3].map { _ in revisions.beginObservation(of: "a") }
    #expect(result12 == [1, 2, 3])
    revisions.end(join("a", 2))
    let result13 = revisions.beginObservation(of: "a")
    #expect(result13 == 2)
    let result14 = revisions.beginObservation(of: "b")
    #expect(result14 == 1)
    #expect(join("a").mark == "a")
    #expect(join("a", 2).mark == "a#2")
  }
}
