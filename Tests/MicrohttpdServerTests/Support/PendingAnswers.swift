internal import Synchronization

/// Answers that a responder was asked for and a test gives.
final class PendingAnswers: Sendable {
  private let answers = Mutex<[TestResponder.Answer]>([])
  private let arrivals = Signal()

  func add(_ answer: @escaping TestResponder.Answer) {
    answers.withLock { $0.append(answer) }
    arrivals.send()
  }

  /// The next one, as soon as it was asked for; `nil` when that does not happen.
  func next() -> TestResponder.Answer? {
    guard arrivals.wait() else { return nil }
    return answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }
}
