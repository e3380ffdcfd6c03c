import ReactorStreams
import StreamTestSupport
import Testing

@Suite struct CurrentThreadSchedulerTests {
  let scheduler = CurrentThreadScheduler.instance
  let log = Log<Int>()

  @Test func `work that is scheduled from work waits for its end`() {
    scheduler.schedule(after: .zero) { [scheduler, log] in
      log.append(1)
      scheduler.schedule(after: .zero) {
        log.append(3)
        scheduler.schedule(after: .zero) { log.append(5) }
        log.append(4)
      }
      log.append(2)
    }
    #expect(log.entries == [1, 2, 3, 4, 5])
  }

  @Test func `a waiting job that is disposed of is not executed`() {
    scheduler.schedule(after: .zero) { [scheduler, log] in
      log.append(1)
      scheduler.schedule(after: .zero) {
        log.append(3)
        scheduler.schedule(after: .zero) { log.append(5) }.dispose()
        log.append(4)
      }
      log.append(2)
    }
    #expect(log.entries == [1, 2, 3, 4])
  }

  @Test func `a schedule is required only outside of a trampoline`() {
    #expect(CurrentThreadScheduler.isScheduleRequired)
    scheduler.schedule(after: .zero) { [log] in
      log.append(CurrentThreadScheduler.isScheduleRequired ? 1 : 0)
    }
    #expect(log.entries == [0])
    #expect(CurrentThreadScheduler.isScheduleRequired)
  }

  @Test func `a task is not part of the trampoline that started it`() async {
    let task = Later<Task<Bool, Never>>()
    scheduler.schedule(after: .zero) {
      task.set(Task { CurrentThreadScheduler.isScheduleRequired })
    }
    #expect(await task.value?.value == true)
  }

  @Test func `observe(on:) serializes re-entrant elements`() {
    let subject = PublishSubject<Int>()
    _ = subject.observe(on: scheduler).subscribe(onNext: { [log] element in
      log.append(element)
      if element == 1 { subject.onNext(2) }
      log.append(-element)
    })
    subject.onNext(1)
    #expect(log.entries == [1, -1, 2, -2])
  }
}
