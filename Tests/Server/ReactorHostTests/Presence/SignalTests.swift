import ReactorLog
import Testing

@testable import ReactorHost

/// Signals of a session, for its observers.
struct SignalTests {
  private final class Observer: SignalObserver {
    let seen = Recorder<String>()

    func didReceive(_ signal: SessionSignal) {
      seen.add("\(signal.sender ?? "-") \(String(decoding: signal.json, as: UTF8.self))")
    }
  }

  @Test func `observers get the signals between adding and removing them`() throws {
    let session = try Stage().session()
    let (one, two) = (Observer(), Observer())
    session.publish(SessionSignal(Array("0".utf8), from: nil))
    session.observeSignals(one)
    session.publish(SessionSignal(Array("1".utf8), from: "ada"))
    session.observeSignals(two)
    session.publish(SessionSignal(Array("2".utf8), from: nil))
    session.stopObservingSignals(one)
    session.publish(SessionSignal(Array("3".utf8), from: nil))
    #expect(one.seen.values == ["ada 1", "- 2"])
    #expect(two.seen.values == ["- 2", "- 3"])
  }

  @Test(.timeLimit(.minutes(60)))
  func `a signal waits neither for a turn of the session nor for the log`() async throws {
    let stage = Stage()
    let session = try #require(try stage.session() as? LiveSession)
    let observer = Observer()
    session.observeSignals(observer)
    stage.log.set(.held)
    let outcome = try session.send(#"{"add":1}"#)
    // A turn that lasts until the signal has arrived.
    let blocked = Task.detached {
      session.enqueue { while observer.seen.values.isEmpty {} }
    }
    session.publish(SessionSignal(Array("1".utf8), from: nil))
    #expect(observer.seen.values == ["- 1"])
    _ = await blocked.value
    #expect(outcome.values.isEmpty)
    stage.log.releaseAll()
  }
}
