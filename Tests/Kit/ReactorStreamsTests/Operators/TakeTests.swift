import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct TakeTests {
  let scheduler = TestScheduler()
  let elements: [Recorded<Event<Int>>] = [
    .next(210, 2), .next(220, 3), .next(230, 4), .next(240, 5), .completed(250),
  ]

  @Test func `take(until:) ends when the other stream emits`() {
    let left = scheduler.createHotObservable(elements)
    let right = scheduler.createHotObservable([.next(225, 99), .completed(230)])
    let result = scheduler.start { left.take(until: right) }
    #expect(result.events == [.next(210, 2), .next(220, 3), .completed(225)])
    #expect(left.subscriptions == [Subscription(200, 225)])
    #expect(right.subscriptions == [Subscription(200, 225)])
  }

  @Test func `take(until:) fails when the other stream fails`() {
    let left = scheduler.createHotObservable(elements)
    let right = scheduler.createHotObservable([Recorded<Event<Int>>.error(225)])
    let result = scheduler.start { left.take(until: right) }
    #expect(result.events == [.next(210, 2), .next(220, 3), .error(225)])
    #expect(left.subscriptions == [Subscription(200, 225)])
    #expect(right.subscriptions == [Subscription(200, 225)])
  }

  @Test func `the completion of the other stream has no effect`() {
    let left = scheduler.createHotObservable(elements)
    let right = scheduler.createHotObservable([Recorded<Event<Int>>.completed(225)])
    #expect(scheduler.start { left.take(until: right) }.events == elements)
  }

  @Test func `take disposes of the source with its last element`() {
    let source = scheduler.createHotObservable(elements)
    let result = scheduler.start { source.take(2) }
    #expect(result.events == [.next(210, 2), .next(220, 3), .completed(220)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test func `takeLast with more than the available elements`() {
    let source = scheduler.createHotObservable(elements)
    #expect(scheduler.start { source.take(20) }.events == elements)
  }

  @Test(arguments: [0, -1])
  func `take(0) does not subscribe to the source`(count: Int) {
    let source = scheduler.createHotObservable(elements)
    #expect(scheduler.start { source.take(count) }.events == [.completed(200)])
    #expect(source.subscriptions.isEmpty)
  }

  @Test func `elements that an observer sends during the last one are dropped`() {
    let subject = PublishSubject<Int>()
    let log = Log<Int>()
    _ = subject.take(1).subscribe(
      onNext: { element in
        log.append(element)
        subject.onNext(element + 1)
      }, onCompleted: { log.append(-1) })
    subject.onNext(1)
    #expect(log.entries == [1, -1])
  }

  @Test func `take(while:) ends without or with the deciding element`() {
    let source = scheduler.createHotObservable(elements)
    let without = scheduler.record(source.take(while: { $0 < 4 }), from: 200)
    let with = scheduler.record(
      source.take(while: { $0 < 4 }, behavior: .inclusive), from: 200)
    let until = scheduler.record(
      source.take(until: { $0 == 4 }, behavior: .inclusive), from: 200)
    scheduler.start()
    #expect(without.events == [.next(210, 2), .next(220, 3), .completed(230)])
    #expect(with.events == [.next(210, 2), .next(220, 3), .next(230, 4), .completed(230)])
    #expect(until.events == with.events)
  }

  @Test func `takeLast emits the last elements at the end`() {
    let source = scheduler.createHotObservable(elements)
    let result = scheduler.start { source.takeLast(2) }
    #expect(result.events == [.next(250, 4), .next(250, 5), .completed(250)])
  }

  @Test func `take(for:) emits the elements of its time`() {
    let source = scheduler.createHotObservable(elements)
    let result = scheduler.start { [scheduler] in
      source.take(for: .milliseconds(25), scheduler: scheduler)
    }
    #expect(result.events == [.next(210, 2), .next(220, 3), .completed(225)])
    #expect(source.subscriptions == [Subscription(200, 225)])
  }
}
