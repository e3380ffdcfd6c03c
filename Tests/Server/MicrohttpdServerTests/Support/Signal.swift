internal import Glibc

/// A counting semaphore whose wait has a timeout, so that a missing signal fails a test and does
/// not hang it.
final class Signal: Sendable {
  private let readEnd: Int32
  private let writeEnd: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Signals once.
  func send() { _ = write(writeEnd, [1], 1) }

  /// Waits for a signal that no earlier wait has consumed; returns `false` after the timeout.
  func wait() -> Bool {
    var watched = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
    guard poll(&watched, 1, TestServer.timeout * 1000) == 1 else { return false }
    var byte: UInt8 = 0
    return read(readEnd, &byte, 1) == 1
  }
}
