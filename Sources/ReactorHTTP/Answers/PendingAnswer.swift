internal import ReactorHost
internal import Synchronization

/// The answer to an action: what comes first of its outcome and the end of the client's patience.
final class PendingAnswer: Sendable {
  private struct Progress {
    var answer: HTTPAnswer?
    var isAccepted = false
    var isOverdue = false
    var place: WaitingRoom.Tick?
  }

  private let session: any Session
  private let preferences: Preferences
  private let api: ReactorAPI
  private let progress: Mutex<Progress>

  init(
    _ session: any Session, _ preferences: Preferences, of api: ReactorAPI,
    _ answer: @escaping HTTPAnswer
  ) {
    self.session = session
    self.preferences = preferences
    self.api = api
    progress = Mutex(Progress(answer: answer, isOverdue: preferences.respondsAsynchronously))
  }

  /// The action goes on, and no crash takes it back.
  func accepted() {
    let isOverdue = progress.withLock { progress in
      progress.isAccepted = true
      return progress.isOverdue
    }
    if isOverdue { answerAccepted() }
  }

  /// The action is done, or was refused.
  func completed(_ outcome: ActionOutcome) {
    guard let answer = take() else { return }
    if preferences.respondsAsynchronously, outcome.isOfRun {
      // It was done as soon as it was accepted. The client asked not to be told what became of it.
      answer(Answer.state(session.current, isAccepted: true, as: preferences))
    } else {
      answer(api.response(to: outcome, in: session, preferences))
    }
  }

  /// Answers after a time with what is known then.
  func wait(for time: Duration) {
    guard progress.withLock({ $0.answer != nil && !$0.isOverdue }) else { return }
    guard time > .zero else { return overdue() }
    let place = api.waitingRoom.enter(self, for: time)
    let isLate = progress.withLock { progress in
      progress.place = place
      return progress.answer == nil
    }
    if isLate { api.waitingRoom.leave(self, at: place) }
  }

  /// The client's patience is over.
  func overdue() {
    let isAccepted = progress.withLock { progress in
      progress.isOverdue = true
      return progress.isAccepted
    }
    // Only what is durable is accepted; what still waits in line, or for the disk, is answered then.
    if isAccepted { answerAccepted() }
  }

  private func answerAccepted() {
    guard let answer = take() else { return }
    answer(Answer.state(session.current, isAccepted: true, as: preferences))
  }

  private func take() -> HTTPAnswer? {
    // Not as results of the closure: a function would be wrapped to come out of generic code.
    var answer: HTTPAnswer?
    var place: WaitingRoom.Tick?
    progress.withLock { progress in
      answer = progress.answer.take()
      place = progress.place.take()
    }
    if let place { api.waitingRoom.leave(self, at: place) }
    return answer
  }
}

extension ActionOutcome {
  /// Whether it is what became of actions that were run for this request.
  fileprivate var isOfRun: Bool {
    switch self {
    case .committed, .failed: true
    case .replayed, .running, .keyReused, .mismatch, .overloaded, .ended, .notCommitted: false
    }
  }
}
