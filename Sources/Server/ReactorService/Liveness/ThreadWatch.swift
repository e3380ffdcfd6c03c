internal import Glibc
internal import MicrohttpdServer
internal import Synchronization
internal import SystemThreads

/// Calls threads of the service at intervals, and reports whether all of them respond.
///
/// The limit is counted in tenths: a machine that is suspended, or a process that is not scheduled,
/// loses one tenth and not the whole limit.
final class ThreadWatch: Sendable {
  /// A thread that does not respond.
  struct Hang: Sendable {
    let name: String

    /// The thread, or `nil` if it has never responded.
    let thread: pthread_t?
  }

  private let threads: [MicrohttpdServer.ThreadCaller]
  private let interval: Duration
  private let report: @Sendable () -> Void
  private let handleHangs: @Sendable ([Hang]) -> Void
  private let isEnding = Atomic(false)

  /// Starts to watch, on a thread of its own.
  ///
  /// - Parameters:
  ///   - threads: The threads.
  ///   - limit: The time within which a thread has to respond.
  ///   - report: Called at least ten times within the limit while all threads respond.
  ///   - handleHangs: Called with the threads that have not responded within the limit.
  init(
    _ threads: [MicrohttpdServer.ThreadCaller], limit: Duration,
    report: @escaping @Sendable () -> Void, handleHangs: @escaping @Sendable ([Hang]) -> Void
  ) {
    self.threads = threads
    interval = limit / 10
    self.report = report
    self.handleHangs = handleHangs
    _ = SystemThread(named: "watchdog") { [self] in watch() }
  }

  /// From now on reports without calling the threads, because the service ends them.
  func end() { isEnding.store(true, ordering: .relaxed) }

  private func watch() {
    var known = [pthread_t?](repeating: nil, count: threads.count)
    let pause = Semaphore()
    while true {
      if !isEnding.load(ordering: .relaxed) {
        let calls = Calls(count: threads.count)
        for (index, thread) in threads.enumerated() { thread.call { calls.respond(index) } }
        var tenths = 0
        while !isEnding.load(ordering: .relaxed), !calls.completion.wait(for: interval) {
          tenths += 1
          if tenths == 10 {
            handleHangs(
              calls.missing.map { Hang(name: threads[$0].name, thread: known[$0]) })
          }
        }
        known = calls.responses
      }
      report()
      pause.wait(for: interval)
    }
  }
}

/// One call of each thread.
private final class Calls: Sendable {
  /// Signalled once all threads have responded.
  let completion = Semaphore()

  private let threads: Mutex<[pthread_t?]>

  init(count: Int) {
    threads = Mutex(Array(repeating: nil, count: count))
    if count == 0 { completion.signal() }
  }

  /// Records the response of a thread, on this thread, and lets SIGABRT reach it, which the threads of
  /// Dispatch block.
  func respond(_ index: Int) {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGABRT)
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    let isComplete = threads.withLock { threads in
      threads[index] = pthread_self()
      return !threads.contains(nil)
    }
    if isComplete { completion.signal() }
  }

  var responses: [pthread_t?] { threads.withLock { $0 } }

  /// The indices of the threads that have not responded.
  var missing: [Int] {
    let responses = responses
    return responses.indices.filter { responses[$0] == nil }
  }
}
