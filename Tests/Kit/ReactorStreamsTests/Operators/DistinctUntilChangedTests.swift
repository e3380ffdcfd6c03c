import ReactorStreams
import ReactorTesting
import Testing

@Suite struct DistinctUntilChangedTests {
  struct Item: Equatable {
    let id: Int
    let name: String
  }

  let scheduler = TestScheduler()

  @Test func `adjacent equal elements are dropped`() {
    let source = scheduler.createHotObservable([
      .next(210, 2), .next(215, 3), .next(220, 3), .next(225, 2), .next(230, 2), .next(230, 1),
      .next(240, 2), .completed(250),
    ])
    let result = scheduler.start { source.distinctUntilChanged() }
    #expect(
      result.events == [
        .next(210, 2), .next(215, 3), .next(225, 2), .next(230, 1), .next(240, 2),
        .completed(250),
      ])
  }

  @Test func `elements with the same key are dropped`() {
    let result = scheduler.start { Observable.of(2, 4, 3, 5).distinctUntilChanged { $0 % 2 } }
    #expect(result.elements == [2, 3])
  }

  @Test func `a comparer that throws fails the stream`() {
    let result = scheduler.start {
      Observable.of(1, 2).distinctUntilChanged { (_: Int, _: Int) -> Bool in throw TestError.test }
    }
    #expect(result.events == [.next(200, 1), .error(200)])
  }

  @Test func `elements that a comparer holds equal are dropped`() {
    let result = scheduler.start {
      Observable.of(1, 2, 4, 5).distinctUntilChanged { $1 - $0 == 1 }
    }
    #expect(result.elements == [1, 4])
  }

  @Test func `a key path, and a key with a comparer, are compared`() {
    let items = [Item(id: 1, name: "a"), Item(id: 2, name: "a"), Item(id: 3, name: "b")]
    let byPath = scheduler.start { Observable.from(items).distinctUntilChanged(at: \.name) }
    #expect(byPath.elements.map(\.id) == [1, 3])
    let byKey = TestScheduler().start {
      Observable.from(items).distinctUntilChanged({ $0.id }, comparer: { $1 < 3 && $0 < $1 })
    }
    #expect(byKey.elements.map(\.id) == [1, 3])
  }

  @Test func `a key selector that throws fails the stream`() {
    let result = scheduler.start {
      Observable.of(1).distinctUntilChanged { _ -> Int in throw TestError.test }
    }
    #expect(result.events == [.error(200)])
  }
}
