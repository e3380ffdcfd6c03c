import Foundation
import Glibc
import Synchronization

/// A program that ends with this object, and with this process, however this process ends.
public final class Lifeline: Sendable {
  /// The socket whose end is the program's, and the script that starts and ends the program.
  private let running: Mutex<(descriptor: Int32, parent: pid_t)?>
  private let output: String

  /// Starts a program, whose output is appended to a file.
  ///
  /// - Parameters:
  ///   - words: The program and its arguments.
  ///   - output: The file.
  ///   - signal: What ends the program.
  ///   - afterwards: Commands of bash after the end of the program.
  /// - Throws: If the script does not start.
  public init(
    _ words: [String], output: String, signal: String = "INT", afterwards: String = ""
  ) throws {
    self.output = output
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw PostgresServer.Failure(description: "no sockets")
    }
    // The script reads until the other socket is closed, which the end of this process does.
    let text = """
      output=$1; shift
      "$@" >>"$output" 2>&1 </dev/null &
      echo $! >"$output.id"
      cat >/dev/null
      kill -\(signal) $! 2>/dev/null; kill -CONT $! 2>/dev/null; wait $!
      \(afterwards)
      """
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
    let strings = (["bash", "-c", text, "bash", output] + words).map { strdup($0) }
    defer { for string in strings { free(string) } }
    var child = pid_t()
    let error = posix_spawnp(&child, "bash", &actions, nil, strings + [nil], environ)
    close(ends[0])
    guard error == 0 else {
      close(ends[1])
      throw PostgresServer.Failure(description: "bash does not start: \(error)")
    }
    running = Mutex((ends[1], child))
  }

  deinit { end() }

  /// The id of the program's process.
  public var id: Int32? {
    let text = try? String(contentsOfFile: "\(output).id", encoding: .utf8)
    return text.flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
  }

  /// Ends the program as a crash would.
  public func kill() {
    if let id { _ = Glibc.kill(id, SIGKILL) }
    end()
  }

  /// Ends the program, and waits for the end.
  public func end() {
    running.withLock { running in
      guard let (descriptor, parent) = running.take() else { return }
      close(descriptor)
      var status: Int32 = 0
      while waitpid(parent, &status, 0) < 0, errno == EINTR {}
    }
  }
}
