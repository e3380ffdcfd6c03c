import Identity
import Shares
import Synchronization

/// A webhook in the process of a test, which decides as the test says.
final class DecidingWebhook: AccessWebhook {
  /// The response to questions.
  enum Answer: Sendable {
    case allowed, denied, unavailable, beyondShare
  }

  private struct State {
    var answer = Answer.allowed
    var isHeld = false
    var held: [CheckedContinuation<Void, Never>] = []
    var questions: [String] = []
    /// The decisions that were held, and when they end.
    var known: [String: Int64] = [:]
  }

  private let state = Mutex(State())

  /// How long a decision is valid, in seconds.
  let lifetime: Int64

  init(lifetime: Int64 = 1) { self.lifetime = lifetime }

  /// The response to questions from now on.
  var answer: Answer {
    get { state.withLock { $0.answer } }
    set { state.withLock { $0.answer = newValue } }
  }

  /// The questions as JSON, in their order.
  var questions: [String] { state.withLock { $0.questions } }

  /// Whether a response waits for ``release()``.
  var hasHeld: Bool { state.withLock { !$0.held.isEmpty } }

  /// Holds the responses to questions that are not known, until ``release()``.
  func hold() { state.withLock { $0.isHeld = true } }

  /// Sends the responses that were held.
  func release() {
    let held = state.withLock { state in
      state.isHeld = false
      defer { state.held = [] }
      return state.held
    }
    for answer in held { answer.resume() }
  }

  func decision(
    on question: AccessQuestion, endingAfter time: Int64, at now: Int64, for account: Account?
  ) -> AccessDecision {
    let text = String(decoding: question.body, as: UTF8.self)
    let isHeld = state.withLock { state in
      state.questions.append(text)
      return state.isHeld && state.known[text, default: .min] <= time
    }
    guard isHeld else { return decision(at: now) }
    return .pending(
      PendingAccess(
        Task {
          await withCheckedContinuation { answer in state.withLock { $0.held.append(answer) } }
          return state.withLock { state in
            if state.answer == .allowed { state.known[text] = now + lifetime + 1_000 }
            return decision(state.answer, now + 1_000)
          }
        }))
  }

  func known(_ question: AccessQuestion, at now: Int64) -> Bool? {
    switch answer {
    case .allowed: true
    case .denied: false
    case .unavailable, .beyondShare: nil
    }
  }

  private func decision(at now: Int64) -> AccessDecision { decision(answer, now + lifetime) }

  private func decision(_ answer: Answer, _ until: Int64) -> AccessDecision {
    switch answer {
    case .allowed: .decided(isAllowed: true, until: until)
    case .denied: .decided(isAllowed: false, until: until)
    case .unavailable: .unavailable
    case .beyondShare: .beyondShare(of: 77)
    }
  }
}
