internal import Glibc
internal import Synchronization
internal import SystemThreads
internal import Testing

@Suite struct SystemThreadTests {
  @Test func `joining waits for the function to return`() throws {
    let isDone = Mutex(false)
    try run(named: "worker") { isDone.withLock { $0 = true } }
    #expect(isDone.withLock { $0 })
  }

  @Test(arguments: [("streams", "streams"), ("a-name-of-20-bytes..", "a-name-of-20-by"), ("", "")])
  func `a thread has its name, truncated to 15 bytes`(
    given: String, shown: String
  ) throws {
    let name = Mutex<String?>(nil)
    try run(named: given) { name.withLock { $0 = Self.nameOfThisThread() } }
    #expect(name.withLock { $0 } == shown + "\n")
  }

  @Test func `a thread that is not joined runs to completion`() async {
    let isComplete: Bool = await withCheckedContinuation { continuation in
      let thread = SystemThread(named: "forgotten") { continuation.resume(returning: true) }
      if thread == nil { continuation.resume(returning: false) }
    }
    #expect(isComplete)
  }

  @Test func `captured values are released when the function returns`() throws {
    final class Held: Sendable {}
    var held: Held? = Held()
    weak let watched = held
    try run(named: "holder") { [held] in _ = held }
    held = nil
    #expect(watched == nil)
  }

  private struct NoThread: Error {}

  private func run(named name: String, _ body: @escaping @Sendable () -> Void) throws {
    guard let thread = SystemThread(named: name, body) else { throw NoThread() }
    thread.join()
  }

  private static func nameOfThisThread() -> String? {
    let descriptor = open("/proc/thread-self/comm", O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
