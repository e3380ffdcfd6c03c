internal import Glibc
internal import SystemThreads

/// Copies the standard error of the service to the log of the supervisor.
///
/// A service that crashes writes the reason to standard error; a pipe that is always read keeps that
/// write from blocking.
final class ServiceOutput: Sendable {
  /// The writing end of the pipe, for the service.
  let descriptor: Int32

  private let reading: Int32
  private let writer: LogOutput
  private let finished = Semaphore()

  /// Creates the pipe and starts the thread, or returns `nil` if the process has no descriptors left.
  init?(_ writer: LogOutput) {
    guard let ends = CloseOnExecPipe.make() else { return nil }
    self.writer = writer
    (reading, descriptor) = ends
    _ = SystemThread(named: "output") { [self] in copyLines() }
  }

  /// Waits for the rest of the output of an ended service.
  func close(within limit: Duration) {
    Glibc.close(descriptor)
    finished.wait(for: limit)
  }

  private func copyLines() {
    defer { finished.signal() }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var rest: [UInt8] = []
    while true {
      let count = unsafe read(reading, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      rest += buffer[..<count]
      // Wait for the end of an unfinished line, unless it is longer than 64 KiB.
      let end =
        rest.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
        ?? (rest.count > 65_536 ? rest.count : 0)
      guard end > 0 else { continue }
      // While this thread waits for space, the pipe fills and the service drops lines itself.
      writer.waitForSpace(end, milliseconds: 1_000)
      writer.write(Array(rest[..<end]))
      rest.removeFirst(end)
    }
    if !rest.isEmpty { writer.write(rest) }
    Glibc.close(reading)
  }
}
