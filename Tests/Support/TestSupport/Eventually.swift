internal import Glibc
public import Testing

/// How often a condition is checked before a wait ends, and the time between two checks.
///
/// Checks and not seconds: where other programs take the processor, a check takes longer, as does the
/// work that the test waits for.
private let (checkLimit, pause) = (20_000, Duration.milliseconds(5))

/// Waits for a condition that has no signal, and blocks the thread in the meantime.
///
/// - Returns: Whether it held within 20,000 checks, which are at least 5 ms apart.
public func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
  for _ in 0..<checkLimit {
    if try condition() { return true }
    usleep(useconds_t(pause / .microseconds(1)))
  }
  return try condition()
}

/// Waits for a condition that has no signal, and suspends the task in the meantime.
///
/// The task resumes behind all others that are ready, so that the awaited ones run between two
/// checks, however many tests run at the same time. The test fails after 20,000 checks, which are
/// at least 5 ms apart.
public func wait(
  until condition: () throws -> Bool, location: SourceLocation = #_sourceLocation
) async throws {
  for _ in 0..<checkLimit {
    if try condition() { return }
    try await Task.sleep(for: pause)
  }
  Issue.record("The condition was not established.", sourceLocation: location)
  throw CancellationError()
}
