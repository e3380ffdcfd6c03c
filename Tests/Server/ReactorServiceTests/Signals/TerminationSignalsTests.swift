import Glibc
import Testing

@testable import ReactorService

/// Each test runs in its own process, because signal handlers are per process.
struct TerminationSignalsTests {
  @Test(arguments: [SIGTERM, SIGINT, SIGQUIT])
  func `the first signal requests the termination`(_ number: Int32) async {
    await #expect(processExitsWith: .exitCode(7)) { [number] in
      let termination = Termination()
      TerminationSignals.watch(termination)
      kill(getpid(), number)
      await termination.requested()
      exit(7)
    }
  }

  @Test func `the second signal ends the process, even while it drains`() async {
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

  @Test func `SIGHUP reloads, and SIGUSR1 and SIGUSR2 are ignored`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      TerminationSignals.watch(Termination()) { exit(7) }
      kill(getpid(), SIGUSR1)
      kill(getpid(), SIGUSR2)
      kill(getpid(), SIGHUP)
      while true { pause() }
    }
  }

  @Test func `a signal that the shell ignored is handled`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      signal(SIGINT, SIG_IGN)
      let termination = Termination()
      TerminationSignals.watch(termination)
      kill(getpid(), SIGINT)
      await termination.requested()
      exit(7)
    }
  }

  @Test func `writing to a closed pipe is an error instead of a signal`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      TerminationSignals.watch(Termination())
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { exit(2) }
      close(ends[0])
      exit(write(ends[1], "x", 1) == -1 && errno == EPIPE ? 7 : 3)
    }
  }
}
