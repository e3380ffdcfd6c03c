import ReactorHost
import ReactorLog
import ReactorTransport
import Testing

@testable import ReactorHTTP

struct EventBufferTests {
  private func event(_ version: Int, bytes: Int = 1, follows: Int? = nil) -> StreamEvent {
    StreamEvent(
      .whole, Cursor(epoch: "e", version: version),
      Array(repeating: 0x78, count: bytes)[...], follows: follows ?? version - 1)
  }

  private func buffer(bound: Int = 4, from version: Int = 0, to last: Int) -> EventBuffer {
    var buffer = EventBuffer(bound: bound, version: version)
    for version in (version + 1)..<(last + 1) { buffer.append(event(version)) }
    return buffer
  }

  /// The next event in short form.
  private func next(_ buffer: EventBuffer, after seen: Int) -> String {
    switch buffer.next(after: seen) {
    case .event(let event): "event \(event.version)"
    case .behind(let latest): "behind \(latest.map { "\($0.version)" } ?? "all")"
    case .upToDate(let version): "up to date \(version)"
    }
  }

  @Test func `each event is returned once and in order`() {
    let buffer = buffer(bound: 10, to: 5)
    var seen = 0
    var got: [Int] = []
    while case .event(let event) = buffer.next(after: seen) {
      got.append(event.version)
      seen = event.version
    }
    #expect(got == [1, 2, 3, 4, 5])
    #expect(next(buffer, after: 5) == "up to date 5")
  }

  @Test func `an empty buffer is up to date`() {
    let buffer = EventBuffer(bound: 4, version: 7)
    #expect(next(buffer, after: 7) == "up to date 7")
    #expect(next(buffer, after: 9) == "up to date 9")
    #expect(next(buffer, after: 6) == "behind all")
  }

  @Test func `a subscriber that has fallen behind gets the latest event and never an older one`() {
    let buffer = buffer(bound: 3, to: 10)
    for seen in 0..<7 { #expect(next(buffer, after: seen) == "behind 10") }
    #expect(next(buffer, after: 7) == "event 8")
    #expect(next(buffer, after: 8) == "event 9")
    #expect(next(buffer, after: 10) == "up to date 10")
    #expect(next(buffer, after: 11) == "up to date 11")
  }

  @Test func `a subscriber sees ascending versions while events are dropped`() {
    var buffer = EventBuffer(bound: 2, version: 0)
    var seen = 0
    for version in 1...100 {
      buffer.append(event(version))
      guard version % 7 == 0 else { continue }
      switch buffer.next(after: seen) {
      case .event(let event), .behind(let event?):
        #expect(event.version > seen)
        seen = event.version
      case .behind(nil), .upToDate: Issue.record("Nothing came after \(seen).")
      }
    }
    #expect(seen == 98)
  }

  @Test func `bytes are bounded, except for the latest event`() {
    var buffer = EventBuffer(bound: 100, version: 0)
    let half = EventBuffer.byteBound / 2
    buffer.append(event(1, bytes: half))
    buffer.append(event(2, bytes: half))
    #expect(next(buffer, after: 0) == "behind 2")
    #expect(next(buffer, after: 1) == "event 2")
    buffer.append(event(3, bytes: 3 * half))
    #expect(next(buffer, after: 1) == "behind 3")
    #expect(next(buffer, after: 2) == "event 3")
    buffer.append(event(4))
    #expect(next(buffer, after: 2) == "behind 4")
    buffer.append(event(5))
    #expect(next(buffer, after: 3) == "event 4")
  }

  @Test func `versions without an event are skipped`() {
    var buffer = EventBuffer(bound: 4, version: 0)
    buffer.append(event(1))
    buffer.advance(to: 2)
    buffer.advance(to: 3)
    #expect(next(buffer, after: 0) == "event 1")
    #expect(next(buffer, after: 1) == "up to date 3")
    buffer.append(event(4))
    #expect(next(buffer, after: 1) == "event 4")
    #expect(next(buffer, after: 3) == "event 4")
    buffer.advance(to: 2)
    #expect(buffer.version == 4)
  }

  @Test func `an event that spans versions is not sent to a subscriber within them`() {
    var buffer = buffer(bound: 10, to: 3)
    buffer.append(event(8, follows: 3))
    #expect(next(buffer, after: 2) == "event 3")
    #expect(next(buffer, after: 3) == "event 8")
    #expect(next(buffer, after: 5) == "behind 8")
    #expect(next(buffer, after: 8) == "up to date 8")
  }

  @Test(arguments: [0, -5, 1])
  func `a bound below one retains the latest event`(bound: Int) {
    let buffer = buffer(bound: bound, to: 3)
    #expect(next(buffer, after: 2) == "event 3")
    #expect(next(buffer, after: 1) == "behind 3")
  }
}
