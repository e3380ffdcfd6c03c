import ReactorLog
import Testing

@testable import NATSLog

@Suite struct RecentMessagesTests {
  private var head = SessionHead()
  private var recent = RecentMessages()

  /// Appends a message with one entry.
  private mutating func append(_ size: Int = 0) {
    let entry = LogEntry(
      version: head.version + 1, at: LogEntry(counted: head.version + 1).at,
      action: [UInt8](repeating: UInt8(ascii: "1"), count: size), mutation: Array("1".utf8))
    add(head.appending(LogBatch([entry]), to: "one", now: entry.at))
  }

  private mutating func add(_ message: LogMessage) {
    let sequence = head.sequence + 3
    recent.append(message, after: head.sequence, at: sequence)
    head = head.following(message, at: sequence, by: nil)
  }

  private func versions(after sequence: Int = 0) -> [Int] {
    recent.messages(of: head, after: sequence).flatMap { $0.entries.map(\.version) }
  }

  @Test mutating func `a history from its beginning is complete`() {
    for _ in 1...40 { append() }
    #expect(versions() == Array(1...40))
    #expect(versions(after: 3 * 38) == [39, 40])
    #expect(recent.includesAll(of: head, after: 0))
    #expect(recent.creation(of: head) == LogEntry(counted: 1).at.milliseconds)
  }

  @Test mutating func `a list up to an earlier head omits the later messages`() {
    append()
    append()
    let earlier = head
    append()
    let found = recent.messages(of: earlier, after: 0)
    #expect(found.flatMap { $0.entries.map(\.version) } == [1, 2])
  }

  @Test mutating func `an anchor begins the list`() {
    for _ in 1...3 { append() }
    var paged = PagedHistory()
    (paged.version, paged.entries) = (2, [LogEntry(counted: 3)])
    add(head.anchoring(paged, dropping: []))
    append()
    #expect(versions() == [3, 4])
  }

  @Test mutating func `messages that follow those of another process begin the list`() {
    append()
    // Another process appends a message.
    let other = head.appending(LogBatch([LogEntry(counted: 2)]), to: "one", now: .now)
    head = head.following(other, at: head.sequence + 1, by: nil)
    #expect(versions().isEmpty)
    append()
    append()
    #expect(versions() == [3, 4])
    #expect(!recent.includesAll(of: head, after: 0))
    #expect(recent.includesAll(of: head, after: recent.messages(of: head, after: 0)[0].sequence))
    #expect(recent.creation(of: head) == nil)
  }

  @Test mutating func `an index returns no messages from before the anchor of another process`() {
    append()
    let anchor = head.anchoring(PagedHistory(version: 1), dropping: [])
    head = head.following(anchor, at: head.sequence + 1, by: nil)
    append()
    #expect(versions() == [2])
    #expect(recent.creation(of: head) == nil)
  }

  @Test mutating func `large messages are not retained`() {
    append()
    append(RecentMessages.bound)
    #expect(versions().isEmpty)
    #expect(recent.size == 0)
    append()
    #expect(versions() == [3])
  }

  @Test mutating func `the messages before the list are read, and no others`() {
    for _ in 1...70 { append() }
    // The messages form blocks of 16; the last message of a block names the others.
    let sequences = head.index.nodes.between(0, 3 * 40).map(\.position.sequence)
    #expect(sequences == [3 * 16, 3 * 32, 3 * 48])
    #expect(head.index.nodes.between(3 * 64, .max).map(\.level) == [0, 0, 0, 0, 0, 0])
    let last = head.index.nodes.between(0, 3 * 67).suffix(2)
    #expect(last.map(\.position.sequence) == [3 * 65, 3 * 66])
  }
}
