import ReactorStreams
import Synchronization

/// Effects that a test controls.
final class EffectBoard: Sendable {
  private let subjects = Mutex<[String: PublishSubject<SampleReactor.Mutation>]>([:])
  private let interludes = Mutex<[String: @Sendable () -> Void]>([:])

  /// Sets the closure that the action ``SampleReactor/Action/pause(_:)`` calls.
  func set(_ interlude: @escaping @Sendable () -> Void, for name: String) {
    interludes.withLock { $0[name] = interlude }
  }

  /// Calls the closure of a name.
  func play(_ name: String) {
    interludes.withLock { $0[name] }?()
  }

  /// The effect with a name.
  subscript(name: String) -> PublishSubject<SampleReactor.Mutation> {
    subjects.withLock { subjects in
      if let subject = subjects[name] { return subject }
      let subject = PublishSubject<SampleReactor.Mutation>()
      subjects[name] = subject
      return subject
    }
  }
}
