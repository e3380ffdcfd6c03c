import ReactorStreams
import Synchronization

/// Effects that a test drives by hand.
final class EffectBoard: Sendable {
  private let subjects = Mutex<[String: PublishSubject<SampleReactor.Mutation>]>([:])
  private let interludes = Mutex<[String: @Sendable () -> Void]>([:])

  /// Does something in the midst of a request, when its action ``SampleReactor/Action/pause(_:)``
  /// runs.
  func set(_ interlude: @escaping @Sendable () -> Void, for name: String) {
    interludes.withLock { $0[name] = interlude }
  }

  /// Runs what was set.
  func play(_ name: String) {
    interludes.withLock { $0[name] }?()
  }

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
