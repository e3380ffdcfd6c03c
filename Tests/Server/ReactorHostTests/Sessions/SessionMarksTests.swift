import ReactorLog
import Synchronization
import Testing

@testable import ReactorHost

struct SessionMarksTests {
  /// Records the marks; each one gets the next place.
  private final class Marking: ActionMarking {
    let events = Recorder<String>()
    private let places = Atomic<Int>(0)

    func begin(_ session: SessionKey, _ digest: ActionDigest, _ action: [UInt8]) -> ActionMark {
      let name = digest == .session ? "session" : String(decoding: action, as: UTF8.self)
      let place = places.add(1, ordering: .relaxed).oldValue
      events.add("begin \(name) at \(place)")
      return ActionMark(place: place)
    }

    func end(_ mark: ActionMark) { events.add("end \(mark.place)") }

    var isQuarantineEmpty: Bool { false }

    func isQuarantined(_ session: SessionKey, _ digest: ActionDigest) -> Bool {
      digest == ActionDigest(of: Array("bad".utf8))
    }

    var quarantined: [QuarantinedAction] { [] }
    func clearQuarantine() {}
    func removeFromQuarantine(_ session: SessionKey) {}
  }

  private let session = SessionKey(reactor: "counter", id: "a")
  private let marking = Marking()

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func `an action is marked while it is executed`() {
    let marks = SessionMarks()
    let mark = marks.beginAction(bytes("add"), of: session, in: marking)
    #expect(!mark.isRejected)
    marks.endAction(mark, in: marking)
    #expect(marking.events.values == ["begin add at 0", "end 0"])
  }

  @Test func `an action in the quarantine is rejected without a mark`() {
    let marks = SessionMarks()
    let mark = marks.beginAction(bytes("bad"), of: session, in: marking)
    #expect(mark.isRejected)
    marks.endAction(mark, in: marking)
    #expect(marking.events.values == [])
  }

  @Test func `the mark of a turn ends once`() {
    let marks = SessionMarks()
    marks.endTurn(in: marking)
    marks.beginTurn(for: nil, of: session, in: marking)
    marks.endTurn(in: marking)
    marks.endTurn(in: marking)
    marks.beginTurn(for: bytes("bad"), of: session, in: marking)
    marks.endTurn(in: marking)
    #expect(
      marking.events.values == ["begin session at 0", "end 0", "begin bad at 1", "end 1"])
  }

  @Test func `without a marking nothing is marked or rejected`() {
    let marks = SessionMarks()
    let mark = marks.beginAction(bytes("bad"), of: session, in: nil)
    #expect(mark.place < 0 && !mark.isRejected)
    marks.endAction(mark, in: nil)
    marks.beginTurn(for: nil, of: session, in: nil)
    marks.endTurn(in: nil)
    #expect(marking.events.values == [])
  }
}
