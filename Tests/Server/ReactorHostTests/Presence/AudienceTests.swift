import Testing

@testable import ReactorHost

/// The subscribers of a session as a value: counts, and when they are published.
struct AudienceTests {
  private final class Observer: PresenceObserver {
    func presenceDidChange(_ update: PresenceUpdate) {}
  }

  /// An audience in an object: `#expect` cannot call mutating methods of a value.
  private final class Subject {
    private var audience = Audience()

    var revision: Int { audience.revision }
    var snapshot: Audience.Snapshot { audience.snapshot }

    func change(_ owner: StreamOwner, by change: Int) -> Bool { audience.change(owner, by: change) }
    func absorb(_ other: Subject) -> Bool { audience.absorb(other.audience) }
    func add(_ observer: any PresenceObserver) -> Bool { audience.add(observer) }
    func remove(_ observer: any PresenceObserver) { audience.remove(observer) }
    func endPublication() -> Bool { audience.endPublication() }

    func beginPublication() -> (Audience.Snapshot, [any PresenceObserver])? {
      audience.beginPublication()
    }
  }

  private func words(_ audience: Subject) -> String {
    let presence = audience.snapshot.update.presence
    let names = presence.subscribers.map { "\($0.name) \($0.streams)" }
    return "\(presence.count): " + names.joined(separator: ", ")
  }

  @Test func `streams are counted by name`() {
    let audience = Subject()
    for name in ["b", "a", "b", nil] { _ = audience.change(StreamOwner(name), by: 1) }
    #expect(words(audience) == "4: a 1, b 2")
    _ = audience.change(StreamOwner("b"), by: -2)
    _ = audience.change(.anonymous, by: 9)
    #expect(words(audience) == "11: a 1")
    _ = audience.change(StreamOwner("a"), by: -1)
    _ = audience.change(.anonymous, by: -10)
    #expect(words(audience) == "0: ")
  }

  @Test func `streams that another audience removes are not counted by name`() {
    let (before, after) = (Subject(), Subject())
    for name in ["a", "b"] { _ = before.change(StreamOwner(name), by: 1) }
    _ = after.change(StreamOwner("a"), by: -1)
    _ = after.absorb(before)
    #expect(words(after) == "1: b 1")
  }

  @Test func `names are compared as bytes`() {
    let audience = Subject()
    // The same character, composed and decomposed.
    for name in ["\u{e9}", "e\u{301}"] { _ = audience.change(StreamOwner(name), by: 1) }
    #expect(audience.snapshot.update.presence.subscribers.count == 2)
    #expect(!Presence([.init(name: "\u{e9}")]).contains("e\u{301}"))
  }

  @Test func `nothing is scheduled without an observer`() {
    let audience = Subject()
    #expect(!audience.change(.anonymous, by: 1))
    #expect(!audience.change(StreamOwner("a"), by: 1))
    #expect(audience.beginPublication() == nil)
  }

  @Test func `an observer and the changes of an interval are one publication`() throws {
    let audience = Subject()
    #expect(audience.add(Observer()))
    for _ in 0..<5000 { #expect(!audience.change(.anonymous, by: 1)) }
    let (snapshot, observers) = try #require(audience.beginPublication())
    #expect(snapshot.count == 5000)
    #expect(observers.count == 1)
    #expect(!audience.endPublication())
    #expect(audience.change(.anonymous, by: -1))
  }

  @Test func `a change during a publication is published in the next one`() throws {
    let audience = Subject()
    #expect(audience.add(Observer()))
    let first = try #require(audience.beginPublication()?.0)
    #expect(!audience.change(.anonymous, by: 1))
    #expect(audience.endPublication())
    let second = try #require(audience.beginPublication()?.0)
    #expect((first.count, second.count) == (0, 1))
    #expect(first.revision < second.revision)
    #expect(!audience.endPublication())
  }

  @Test func `an observer that is removed is not notified`() {
    let audience = Subject()
    let observer = Observer()
    #expect(audience.add(observer))
    audience.remove(observer)
    #expect(audience.beginPublication() == nil)
    #expect(audience.add(observer))
    #expect(audience.beginPublication()?.1.count == 1)
    audience.remove(observer)
    #expect(!audience.change(StreamOwner("a"), by: 1))
    #expect(!audience.endPublication())
  }

  @Test func `a publication contains the revision of a change before it`() throws {
    let audience = Subject()
    #expect(audience.add(Observer()))
    _ = audience.change(StreamOwner("a"), by: 1)
    let revision = audience.revision
    let snapshot = try #require(audience.beginPublication()?.0)
    #expect(snapshot.revision >= revision)
    _ = audience.change(StreamOwner("a"), by: -1)
    #expect(audience.revision > snapshot.revision)
  }
}
