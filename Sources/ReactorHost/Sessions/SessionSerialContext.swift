internal import ReactorCore
internal import ReactorStreams
internal import Synchronization

/// The serial context of a session's reactor, through which the reactor accesses the session.
///
/// The reactor's streams retain it, so it does not retain the session.
@usableFromInline
final class SessionSerialContext: GlobalContext {
  @usableFromInline weak let session: LiveSession?

  @usableFromInline
  init(_ session: LiveSession) {
    self.session = session
  }

  @usableFromInline
  var isCurrent: Bool {
    session?.pipeline.isCurrent ?? false
  }

  @usableFromInline
  func enqueue(_ work: @escaping @Sendable () -> Void) {
    session?.enqueue(work)
  }

  func deliver(
    global name: String, revision: UInt64, isNull: Bool, _ work: @escaping @Sendable () -> Void
  ) {
    session?.enqueue { [weak session] in
      guard let session, session.globals.add(revision, of: name, isNull: isNull) else { return }
      session.pipeline.attribute(.global(name: name, revision: revision), work)
    }
  }
}
