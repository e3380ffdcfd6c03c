import ReactorRx
import StreamTestSupport
import Testing

@Suite struct AsyncSubjectTests {
  @Test func `an async subject sends its last element when it completes`() {
    let log = Log<String>()
    let subject = AsyncSubject<Int>()
    _ = subject.subscribe { log.append("\($0)") }
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.entries.isEmpty)
    subject.onCompleted()
    subject.onNext(3)
    _ = subject.subscribe { log.append("late \($0)") }
    #expect(log.entries == ["next(2)", "completed", "late next(2)", "late completed"])
  }
}
