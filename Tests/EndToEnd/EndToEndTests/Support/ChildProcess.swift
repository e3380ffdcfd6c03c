import Foundation
import Glibc
import Synchronization

/// A process that a test has started, with its output.
///
/// The process is killed when the object is released.
final class ChildProcess: Sendable {
  /// The end of a process.
  enum Exit: Equatable, Sendable {
    case code(Int32)
    case signal(Int32)
  }

  /// An error with a process itself.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let id: pid_t
  private let exit = Watched<Exit?>(nil)
  private let output = Watched(Text())
  private let errors = Watched(Text())

  /// Locked while a pipe is created and marked as close-on-exec, so that a process of another test
  /// does not inherit it.
  private static let starting = Mutex(())

  private struct Text {
    var bytes: [UInt8] = []
    var isComplete = false

    var string: String { String(decoding: bytes, as: UTF8.self) }
  }

  /// Starts an executable.
  ///
  /// Its environment is that of the tests, without the variables of the service, and with
  /// additional ones. The socket becomes its descriptor 3.
  init(
    _ executable: String, _ arguments: [String] = [], environment: [String: String] = [:],
    handingOver socket: Int32? = nil
  ) throws {
    let (id, output, errors) = try Self.starting.withLock { _ in
      try Self.spawn(executable, arguments, environment, socket)
    }
    self.id = id
    LivingProcesses.shared.add(id)
    Self.collect(output, into: self.output)
    Self.collect(errors, into: self.errors)
    Thread.detachNewThread { [id, exit] in Self.reap(id, exit) }
  }

  deinit {
    kill()
  }

  /// The standard output so far.
  var standardOutput: String { output.current.string }

  /// The standard error so far.
  var standardError: String { errors.current.string }

  var isRunning: Bool { exit.current == nil }

  /// Waits for the first line of standard output, or returns `nil` if the process ended without one.
  func firstLine(within time: Duration = Connection.timeout) -> String? {
    let line = output.first(within: time) { text -> String?? in
      if let end = text.bytes.firstIndex(of: UInt8(ascii: "\n")) {
        return String(decoding: text.bytes[..<end], as: UTF8.self)
      }
      return text.isComplete ? .some(nil) : nil
    }
    return line ?? nil
  }

  /// Waits until standard output contains a text.
  func output(contains text: String, within time: Duration = Connection.timeout) -> Bool {
    output.first(within: time) { $0.string.contains(text) ? true : nil } ?? false
  }

  /// Sends a signal, unless the process has ended.
  func signal(_ number: Int32) {
    LivingProcesses.shared.signal(id, number)
  }

  /// Kills the process, as in a crash.
  func kill() {
    signal(SIGKILL)
  }

  /// Waits for the end of the process and of its output.
  @discardableResult
  func wait(within time: Duration = Sanitizer.timeout) throws -> Exit {
    guard let exit = exit.first(within: time, { $0 }) else {
      throw Failure(description: "The process \(id) did not end. It said: \(standardError)")
    }
    for text in [output, errors] { _ = text.first(within: time) { $0.isComplete ? () : nil } }
    return exit
  }

  // MARK: System calls

  private static func makePipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failure(description: "No pipe: \(errno)") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func spawn(
    _ executable: String, _ arguments: [String], _ added: [String: String], _ socket: Int32?
  ) throws -> (id: pid_t, output: Int32, errors: Int32) {
    let output = try makePipe()
    let errors = try makePipe()
    defer {
      close(output.writing)
      close(errors.writing)
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output.writing, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, errors.writing, STDERR_FILENO)
    if let socket { posix_spawn_file_actions_adddup2(&actions, socket, 3) }

    let environment = ProcessInfo.processInfo.environment
      .filter { !$0.key.hasPrefix("REACTORD_") }
      .merging(added) { $1 }
    let words = ([executable] + arguments).map { strdup($0) }
    let variables = environment.map { strdup("\($0.key)=\($0.value)") }
    defer { for text in words + variables { free(text) } }

    var id = pid_t()
    let status = posix_spawn(&id, executable, &actions, nil, words + [nil], variables + [nil])
    guard status == 0 else {
      throw Failure(
        description: "\(executable) did not start: \(String(cString: strerror(status)))")
    }
    return (id, output.reading, errors.reading)
  }

  private static func collect(_ descriptor: Int32, into text: Watched<Text>) {
    Thread.detachNewThread {
      var bytes = [UInt8](repeating: 0, count: 16_384)
      while true {
        let count = read(descriptor, &bytes, bytes.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        text.change { $0.bytes += bytes[..<count] }
      }
      close(descriptor)
      text.change { $0.isComplete = true }
    }
  }

  private static func reap(_ id: pid_t, _ exit: Watched<Exit?>) {
    var information = siginfo_t()
    while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    // Remove the id before `waitpid` releases it: afterwards it can be the id of another process.
    LivingProcesses.shared.remove(id)
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    exit.change { $0 = signal == 0 ? .code((status >> 8) & 0xFF) : .signal(signal) }
  }
}
