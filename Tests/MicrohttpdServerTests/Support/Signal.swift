internal import Glibc

/// Something that happens and can be waited for; waiting has a limit, so that what never happens
/// fails a test and does not hang it.
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

  /// It happens.
  func send() { _ = write(writeEnd, [1], 1) }

  /// Blocks until it happens once more than it was waited for; false when the limit came first.
  func wait() -> Bool {
    var watched = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
    guard poll(&watched, 1, 20_000) == 1 else { return false }
    var byte: UInt8 = 0
    return read(readEnd, &byte, 1) == 1
  }
}
