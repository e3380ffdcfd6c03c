import Testing

@testable import ReactorHost

struct GlobalRevisionsTests {
  @Test func `a revision is new once, and null is not new to a session without a value`() {
    let revisions = GlobalRevisions(["price": 7])
    let price = [7, 8, 8].map { revisions.add($0, of: "price", isNull: false) }
    #expect(price == [false, true, false])
    let stock = [true, false, true].enumerated().map { revision, isNull in
      revisions.add(UInt64(revision), of: "stock", isNull: isNull)
    }
    #expect(stock == [false, true, true])
  }
}
