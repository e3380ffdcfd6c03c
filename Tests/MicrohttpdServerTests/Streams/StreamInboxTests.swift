internal import ReactorHTTP
internal import Testing

@testable internal import MicrohttpdServer

@Suite struct StreamInboxTests {
  @Test func `a group that is woken twice is there once, until it was taken`() {
    var inbox = StreamInbox()
    var taken = StreamInbox()
    let group = StreamGroup()
    let other = StreamGroup()
    for group in [group, other, group] { inbox.wake(group) }
    inbox.take(into: &taken)
    #expect(taken.groups.map(ObjectIdentifier.init) == [group, other].map(ObjectIdentifier.init))
    #expect(inbox.isEmpty)
    inbox.wake(group)
    inbox.take(into: &taken)
    #expect(taken.groups.count == 1)
  }

  @Test func `the bell rings once for a loop that sleeps, and never for one that does not`() {
    var inbox = StreamInbox()
    inbox.wake(StreamGroup())
    #expect(inbox.mustRing() == false)
    inbox.isAsleep = true
    #expect(inbox.mustRing() == true)
    #expect(inbox.mustRing() == false)
  }

  @Test func `stopping is for good, asking is once`() {
    var inbox = StreamInbox()
    var taken = StreamInbox()
    inbox.asksAll = true
    inbox.stops = true
    inbox.take(into: &taken)
    #expect(taken.asksAll && taken.stops)
    inbox.take(into: &taken)
    #expect(!taken.asksAll)
    #expect(taken.stops)
  }
}
