public import ReactorCore
internal import Synchronization

/// Tells a session what its engine does, and is the session's serial context for its reactor.
///
/// It does not keep the session in memory.
@usableFromInline
final class SessionLink: Sendable {
  private struct Reference {
    weak var session: LiveSession?
  }

  private let reference = Mutex(Reference())

  @usableFromInline
  init() {}

  var session: LiveSession? {
    reference.withLock { $0.session }
  }

  func set(_ session: LiveSession) {
    reference.withLock { $0.session = session }
  }

  @usableFromInline
  func didConnect(_ shown: Result<[UInt8], any Error>) {
    session?.didConnect(shown)
  }

  @usableFromInline
  func didReduce(_ mutation: [UInt8], to state: [UInt8], because origin: MutationOrigin) {
    // Mostly the cause is an action, which holds the session: that is faster than to ask whether it is
    // there still.
    if case .effect(let effect) = origin, let ticket = effect as? ActionTicket {
      ticket.request.session.didReduce(mutation, to: state, because: ticket)
    } else {
      session?.didReduce(mutation, to: state, because: origin)
    }
  }

  @usableFromInline
  func didFail(_ error: any Error, in stage: ReactorStage) {
    session?.didFail(error, in: stage)
  }

  @usableFromInline
  func didFailToEncode(_ error: any Error) {
    session?.didFailToEncode(error)
  }

  @usableFromInline
  func didSettle() {
    session?.didSettle()
  }
}
