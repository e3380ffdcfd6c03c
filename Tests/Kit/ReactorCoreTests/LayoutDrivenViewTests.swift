import ReactorCore
import ReactorStreams
import Synchronization
import Testing

struct LayoutDrivenViewTests {
  /// A serial context on the thread of its test.
  private final class Turns: SerialContext {
    private let state = Mutex((isCurrent: false, pending: [@Sendable () -> Void]()))

    var isCurrent: Bool { state.withLock { $0.isCurrent } }

    func enqueue(_ work: @escaping @Sendable () -> Void) {
      let isIdle = state.withLock { state in
        state.pending.append(work)
        defer { state.isCurrent = true }
        return !state.isCurrent
      }
      guard isIdle else { return }
      while let next = next() { next() }
    }

    private func next() -> (@Sendable () -> Void)? {
      state.withLock { state in
        guard state.pending.isEmpty else { return state.pending.removeFirst() }
        state.isCurrent = false
        return nil
      }
    }
  }

  /// Executes work in a turn, and then the turns that it causes.
  private func inTurn(_ work: @escaping @Sendable () -> Void) {
    let turns = Turns()
    CurrentSerialContext.$value.withValue(turns) { turns.enqueue(work) }
  }

  // Proof: each test uses its view on one thread, or in the turns of one context.
  final class CardView: LayoutDrivenView, @unchecked Sendable {
    let layoutPass = LayoutPass()
    var text = "" { didSet { setNeedsLayout() } }
    var size = 14 { didSet { setNeedsLayout() } }
    /// The number of passes that will request another pass.
    var selfRequests = 0
    private(set) var initializations = 0
    private(set) var shown: [String] = []

    func initializeView() {
      initializations += 1
      #expect(shown.isEmpty)
    }

    func updateLayout() {
      shown.append("\(text) \(size)")
      guard selfRequests > 0 else { return }
      selfRequests -= 1
      setNeedsLayout()
    }
  }

  @Test func `without a turn each request runs a pass at once`() {
    let card = CardView()
    card.text = "a"
    card.size = 20
    #expect(card.shown == ["a 14", "a 20"])
    #expect(card.initializations == 1)
  }

  @Test func `in a turn all requests are one pass at its end`() {
    let card = CardView()
    inTurn {
      for number in 1...1_000 {
        card.text = "\(number)"
        card.size = number
      }
      #expect(card.shown == [])
    }
    #expect(card.shown == ["1000 1000"])
  }

  @Test func `a pass can run before the end of the turn`() {
    let card = CardView()
    inTurn {
      card.layoutIfNeeded()
      #expect(card.shown == [])
      card.text = "a"
      card.layoutIfNeeded()
      card.layoutIfNeeded()
      #expect(card.shown == ["a 14"])
    }
    #expect(card.shown == ["a 14"])
  }

  @Test func `a request from within a pass applies to the next turn`() {
    let card = CardView()
    card.selfRequests = 3
    inTurn { card.text = "a" }
    #expect(card.shown.count == 4)
  }

  @Test func `a view that always requests itself is skipped until another request`() {
    for isInTurn in [true, false] {
      let card = CardView()
      card.selfRequests = .max
      if isInTurn {
        inTurn { card.text = "a" }
        #expect((1...61).contains(card.shown.count))
      } else {
        card.text = "a"
        #expect(card.shown.count == 1)
      }
      let count = card.shown.count
      card.selfRequests = 0
      card.text = "b"
      #expect(card.shown.count > count)
    }
  }
}
