import Glibc
import Testing

@testable import ReactorService

/// Each in a process of its own: signals belong to a process.
struct TerminationSignalsTests {
  @Test(arguments: [SIGTERM, SIGINT])
  func `the first signal asks for the end`(_ number: Int32) async {
    await #expect(processExitsWith: .exitCode(7)) { [number] in
      let termination = Termination()
      TerminationSignals.watch(termination)
      kill(getpid(), number)
      await termination.requested()
      exit(7)
    }
  }

  @Test func `the second signal ends the process at once, also while it drains`() async {
    await #expect(processExitsWith: .exitCode(1)) {
      let termination = Termination()
      TerminationSignals.watch(termination)
      termination.whenRequested {
        kill(getpid(), SIGINT)
        while true { pause() }
      }
      kill(getpid(), SIGTERM)
      while true { pause() }
    }
  }

  @Test func `a signal that the shell had ignored counts`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      signal(SIGINT, SIG_IGN)
      let termination = Termination()
      TerminationSignals.watch(termination)
      kill(getpid(), SIGINT)
      await termination.requested()
      exit(7)
    }
  }

  @Test func `writing to a peer that left is an error and not the end`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      TerminationSignals.watch(Termination())
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { exit(2) }
      close(ends[0])
      exit(write(ends[1], "x", 1) == -1 && errno == EPIPE ? 7 : 3)
    }
  }
}
