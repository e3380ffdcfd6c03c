internal import Glibc
internal import ReactorLog
internal import Synchronization
internal import SystemThreads
internal import Telemetry

/// Writes log lines to standard error on a thread of its own.
///
/// A logging thread never blocks: it appends the line to a bounded queue. While standard error accepts
/// no bytes and the queue is full, lines are dropped and counted; once the queue drains, one line
/// reports their number.
final class LogOutput: Sendable {
  /// The maximum size of the queue in bytes.
  static let capacity = 262_144

  private struct State {
    var lines: [UInt8] = []
    var unreported = 0
    var isWriterAsleep = false
    var deadline: Int64?
  }

  private let format: LogFormat
  private let descriptor: Int32
  private let state = Mutex(State())
  private let wakeup = Semaphore()
  private let finished = Semaphore()
  private let droppedCount = Counter()

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - format: The format of the line that reports dropped lines.
  ///   - descriptor: The descriptor to write to.
  init(format: LogFormat, descriptor: Int32 = STDERR_FILENO) {
    self.format = format
    self.descriptor = descriptor
    // Without a thread the queue fills up and lines are dropped, which the metric shows.
    _ = SystemThread(named: "log") { [self] in writeLines() }
  }

  /// Appends complete lines to the queue, or drops them if the queue is full.
  func write(_ line: [UInt8]) {
    let mustWake = state.withLock { state in
      guard state.lines.count + line.count <= Self.capacity else {
        state.unreported += 1
        droppedCount.add()
        return false
      }
      state.lines += line
      defer { state.isWriterAsleep = false }
      return state.isWriterAsleep
    }
    if mustWake { wakeup.signal() }
  }

  /// Waits until the queue has space for a number of bytes, or the time limit expires.
  func waitForSpace(_ size: Int, milliseconds: Int64) {
    let deadline = Clock.milliseconds + milliseconds
    while state.withLock({ $0.lines.count + size > Self.capacity }), Clock.milliseconds < deadline {
      poll(nil, 0, 10)
    }
  }

  /// Waits until all lines are written or the time limit expires, and ends the thread.
  func close(within limit: Duration) {
    let mustWake = state.withLock { state in
      state.deadline = Clock.milliseconds + limit.milliseconds
      defer { state.isWriterAsleep = false }
      return state.isWriterAsleep
    }
    if mustWake { wakeup.signal() }
    // Wait longer than the deadline, at which the thread ends by itself.
    finished.wait(for: limit + .milliseconds(200))
  }

  private func writeLines() {
    defer { finished.signal() }
    var batch: [UInt8] = []
    while true {
      batch.removeAll(keepingCapacity: true)
      let (dropped, isClosed) = state.withLock { state in
        swap(&state.lines, &batch)
        defer { state.unreported = 0 }
        state.isWriterAsleep = batch.isEmpty && state.unreported == 0 && state.deadline == nil
        return (state.unreported, state.deadline != nil)
      }
      if dropped > 0 {
        batch += format.line(
          time: .now, level: LogLevel.warning.rawValue,
          message: "log lines dropped: standard error was not read",
          fields: [("count", "\(dropped)")])
      }
      if batch.isEmpty {
        guard !isClosed else { return }
        wakeup.wait()
      } else if !write(batch: batch) {
        return
      }
    }
  }

  /// Writes lines in pieces of up to `PIPE_BUF` bytes, which are atomic on a pipe.
  ///
  /// - Returns: `false` if the writer was closed and its deadline has passed.
  private func write(batch: [UInt8]) -> Bool {
    var rest = batch[...]
    while !rest.isEmpty {
      var piece = rest.prefix(LogFormat.lineLimit)
      if let end = piece.lastIndex(of: UInt8(ascii: "\n")) { piece = piece[...end] }
      guard waitUntilWritable() else { return false }
      let count = unsafe piece.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0, errno != EINTR, errno != EAGAIN {
        // The reader is gone or the disk is full; the next batch may succeed.
        return true
      }
    }
    return true
  }

  private func waitUntilWritable() -> Bool {
    while true {
      var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      // The interval bounds the delay until the thread observes a deadline.
      if unsafe poll(&watched, 1, 100) != 0 { return true }
      if let deadline = state.withLock({ $0.deadline }), Clock.milliseconds >= deadline {
        return false
      }
    }
  }
}

extension LogOutput: MetricsSource {
  func write(to text: inout MetricsText) {
    text.family(
      "reactord_log_lines_dropped_total", .counter,
      "Log lines dropped because standard error was not read.", droppedCount.value)
  }
}
