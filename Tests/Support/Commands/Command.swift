import Glibc

/// A program that a test has run to its end.
///
/// It is not run by Foundation's `Process`, which detects the end by a descriptor that other
/// processes, started at the same time, can inherit and hold open. Input and output are files, so
/// that nothing waits for the end of a pipe either.
public struct Command: Sendable {
  /// An error of the start.
  public struct Failure: Error {
    /// The error number.
    public let number: Int32
  }

  /// The exit code; 128 and more for a signal.
  public let status: Int32

  /// The bytes of standard output.
  public let output: [UInt8]

  /// The bytes of standard error.
  public let errors: [UInt8]

  /// Runs a program, which is looked up in `PATH`, and blocks until its end.
  ///
  /// - Parameters:
  ///   - words: Its name and its arguments.
  ///   - input: The bytes of standard input.
  /// - Throws: A failure if the program does not start.
  public init(_ words: [String], input: [UInt8] = []) throws {
    let files = try [File(input), File(), File()]
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (standard, file) in files.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, file.descriptor, Int32(standard))
    }
    let arguments = words.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    var id = pid_t()
    let error = posix_spawnp(&id, words[0], &actions, nil, arguments + [nil], environ)
    guard error == 0 else { throw Failure(number: error) }
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    self.status = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    output = files[1].content
    errors = files[2].content
  }

  /// A temporary file without a name.
  private final class File {
    let descriptor: Int32

    init(_ content: [UInt8] = []) throws {
      let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
      var name = Array("\(folder)/command-XXXXXX".utf8CString)
      descriptor = mkstemp(&name)
      guard descriptor >= 0 else { throw Failure(number: errno) }
      unlink(name)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      var rest = content[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { throw Failure(number: errno) }
        rest = rest.dropFirst(count)
      }
      lseek(descriptor, 0, SEEK_SET)
    }

    deinit { close(descriptor) }

    var content: [UInt8] {
      lseek(descriptor, 0, SEEK_SET)
      var content: [UInt8] = []
      var part = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(descriptor, &part, part.count)
        guard count > 0 else { return content }
        content += part[..<count]
      }
    }
  }
}
