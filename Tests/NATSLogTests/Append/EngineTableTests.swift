import NATSClient
import Testing

@testable import NATSLog

/// The messages that callers publish, and those that they leave to the engine's thread.
struct EngineTableTests {
  private func append(_ number: Int, size: Int) -> PendingAppend {
    let writer = Writer(name: "n1", incarnation: 1)
    return PendingAppend(
      subject: "none", expected: 0,
      batch: (
        WriterMark(writer: writer, number: UInt64(2 * number)), Array(repeating: 0, count: size)
      ),
      void: (WriterMark(writer: writer, number: UInt64(2 * number + 1)), { [] }), wait: 1_000,
      read: { _, done in done(.success(nil)) }, leaderIsBehind: { _, _ in }, completion: { _ in })
  }

  /// A paused broker reads nothing from the socket, so a caller that publishes more than the bound
  /// would block.
  @Test(arguments: [
    (size: 1, direct: EngineTable.directBound.count),
    (size: 1_024, direct: EngineTable.directBound.size / 1_024), (size: 100_000, direct: 0),
  ])
  func `callers publish up to the bound`(_ size: Int, _ direct: Int) throws {
    let addresses = try TestStore().settings.addresses
    let connection = try NATSConnection(.init(addresses, name: "bound"))
    var table = EngineTable(connection, LogCounters())
    let steps = (0..<200).map { table.start(append($0, size: size), at: 0) }
    #expect(steps.map { $0 != nil } == (0..<200).map { $0 < direct })
    #expect(table.hasUnsent)
    #expect(table.takeUnsent(at: 0).count == 200 - direct)
    #expect(!table.hasUnsent)
  }
}
