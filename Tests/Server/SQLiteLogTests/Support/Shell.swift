import Commands
import Glibc

/// A child process that a test writes to and reads from.
final class Shell {
  struct Failure: Error {}

  private let id: pid_t
  private let input: Int32
  private let output: Int32
  private var unread: [UInt8] = []
  private var hasEnded = false

  init(_ command: [String]) throws {
    let (input, output) = (try Self.makePipe(), try Self.makePipe())
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input.reading, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output.writing, STDOUT_FILENO)
    let arguments = command.map { strdup($0) }
    var id = pid_t()
    let error = posix_spawnp(&id, command[0], &actions, nil, arguments + [nil], environ)
    for argument in arguments { free(argument) }
    for descriptor in [input.reading, output.writing] { close(descriptor) }
    (self.id, self.input, self.output) = (id, input.writing, output.reading)
    guard error == 0 else {
      hasEnded = true
      throw Failure()
    }
  }

  deinit {
    end()
    for descriptor in [input, output] { close(descriptor) }
  }

  private static func makePipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failure() }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Runs a command to its end.
  ///
  /// - Returns: Its exit code; 128 and more for a signal.
  @discardableResult
  static func run(_ command: String...) throws -> Int32 {
    try Command(command).status
  }

  /// Executes statements with the shell of SQLite.
  ///
  /// - Returns: Its output.
  @discardableResult
  static func sqlite(_ path: String, _ statements: String) throws -> String {
    String(decoding: try Command(["sqlite3", path, statements]).output, as: UTF8.self)
  }

  /// Locks a database until ``end()``.
  static func locking(_ path: String) throws -> Shell {
    let shell = try Shell(["sqlite3", path])
    // The shell buffers its own output, but not that of a command.
    try shell.write("PRAGMA locking_mode = EXCLUSIVE;\nBEGIN EXCLUSIVE;\n.shell echo locked\n")
    while let line = shell.line(), line != "locked" {}
    return shell
  }

  private func write(_ text: String) throws {
    let count = text.utf8.count
    guard Glibc.write(input, text, count) == count else { throw Failure() }
  }

  /// The next line of its output, or `nil` at the end.
  func line() -> String? {
    var part = [UInt8](repeating: 0, count: 4096)
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread.removeFirst(end + 1) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      let count = read(output, &part, part.count)
      guard count > 0 else { return nil }
      unread += part[..<count]
    }
  }

  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    // Use SIGKILL: the shell inherits the signal mask of the thread that started it.
    kill(id, SIGKILL)
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
  }
}
