import Testing

@testable import ReactorHost

/// The subscribers of a session as a value: counts, and when they are published.
struct SubscriberTableTests {
  private final class Observer: PresenceObserver {
    func presenceDidChange(_ update: PresenceUpdate) {}
  }

  /// A table in an object: `#expect` cannot call mutating methods of a value.
  private final class Subject {
    private var subscribers = SubscriberTable()

    var revision: Int { subscribers.revision }
    var snapshot: SubscriberTable.Snapshot { subscribers.snapshot }

    func change(_ owner: StreamOwner, by change: Int) -> Bool {
      subscribers.change(owner, by: change)
    }
    func absorb(_ other: Subject) -> Bool { subscribers.absorb(other.subscribers) }
    func add(_ observer: any PresenceObserver) -> Bool { subscribers.add(observer) }
    func remove(_ observer: any PresenceObserver) { subscribers.remove(observer) }
    func endPublication() -> Bool { subscribers.endPublication() }

    func beginPublication() -> (SubscriberTable.Snapshot, [any PresenceObserver])? {
      subscribers.beginPublication()
    }
  }

  private func words(_ subscribers: Subject) -> String {
    let presence = subscribers.snapshot.update.presence
    let names = presence.subscribers.map { "\($0.name) \($0.streams)" }
    return "\(presence.count): " + names.joined(separator: ", ")
  }

  @Test func `streams are counted by name`() {
    let subscribers = Subject()
    for name in ["b", "a", "b", nil] { _ = subscribers.change(StreamOwner(name), by: 1) }
    #expect(words(subscribers) == "4: a 1, b 2")
    _ = subscribers.change(StreamOwner("b"), by: -2)
    _ = subscribers.change(.anonymous, by: 9)
    #expect(words(subscribers) == "11: a 1")
    _ = subscribers.change(StreamOwner("a"), by: -1)
    _ = subscribers.change(.anonymous, by: -10)
    #expect(words(subscribers) == "0: ")
  }

  @Test func `streams that another table removes are not counted by name`() {
    let (before, after) = (Subject(), Subject())
    for name in ["a", "b"] { _ = before.change(StreamOwner(name), by: 1) }
    _ = after.change(StreamOwner("a"), by: -1)
    _ = after.absorb(before)
    #expect(words(after) == "1: b 1")
  }

  @Test func `names are compared as bytes`() {
    let subscribers = Subject()
    // The same character, composed and decomposed.
    for name in ["\u{e9}", "e\u{301}"] { _ = subscribers.change(StreamOwner(name), by: 1) }
    #expect(subscribers.snapshot.update.presence.subscribers.count == 2)
    #expect(!Presence([.init(name: "\u{e9}")]).contains("e\u{301}"))
  }

  @Test func `nothing is scheduled without an observer`() {
    let subscribers = Subject()
    #expect(!subscribers.change(.anonymous, by: 1))
    #expect(!subscribers.change(StreamOwner("a"), by: 1))
    #expect(subscribers.beginPublication() == nil)
  }

  @Test func `an observer and the changes of an interval are one publication`() throws {
    let subscribers = Subject()
    #expect(subscribers.add(Observer()))
    for _ in 0..<5000 { #expect(!subscribers.change(.anonymous, by: 1)) }
    let (snapshot, observers) = try #require(subscribers.beginPublication())
    #expect(snapshot.count == 5000)
    #expect(observers.count == 1)
    #expect(!subscribers.endPublication())
    #expect(subscribers.change(.anonymous, by: -1))
  }

  @Test func `a change during a publication is published in the next one`() throws {
    let subscribers = Subject()
    #expect(subscribers.add(Observer()))
    let first = try #require(subscribers.beginPublication()?.0)
    #expect(!subscribers.change(.anonymous, by: 1))
    #expect(subscribers.endPublication())
    let second = try #require(subscribers.beginPublication()?.0)
    #expect((first.count, second.count) == (0, 1))
    #expect(first.revision < second.revision)
    #expect(!subscribers.endPublication())
  }

  @Test func `an observer that is removed is not notified`() {
    let subscribers = Subject()
    let observer = Observer()
    #expect(subscribers.add(observer))
    subscribers.remove(observer)
    #expect(subscribers.beginPublication() == nil)
    #expect(subscribers.add(observer))
    #expect(subscribers.beginPublication()?.1.count == 1)
    subscribers.remove(observer)
    #expect(!subscribers.change(StreamOwner("a"), by: 1))
    #expect(!subscribers.endPublication())
  }

  @Test func `a publication contains the revision of a change before it`() throws {
    let subscribers = Subject()
    #expect(subscribers.add(Observer()))
    _ = subscribers.change(StreamOwner("a"), by: 1)
    let revision = subscribers.revision
    let snapshot = try #require(subscribers.beginPublication()?.0)
    #expect(snapshot.revision >= revision)
    _ = subscribers.change(StreamOwner("a"), by: -1)
    #expect(subscribers.revision > snapshot.revision)
  }
}
