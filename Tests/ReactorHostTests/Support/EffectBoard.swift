import ReactorStreams
import Synchronization

/// Effects that a test drives by hand.
final class EffectBoard: Sendable {
  private let subjects = Mutex<[String: PublishSubject<SampleReactor.Mutation>]>([:])

  /// The effect of a name.
  subscript(name: String) -> PublishSubject<SampleReactor.Mutation> {
    subjects.withLock { subjects in
      if let subject = subjects[name] { return subject }
      let subject = PublishSubject<SampleReactor.Mutation>()
      subjects[name] = subject
      return subject
    }
  }
}
