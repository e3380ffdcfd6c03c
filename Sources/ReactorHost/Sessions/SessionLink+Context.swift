internal import ReactorCore
internal import ReactorStreams
internal import Synchronization

/// Where values that sessions share are delivered for one session.
protocol GlobalContext: SerialContext {
  /// Delivers a value in the session's turn, unless the session has it already.
  ///
  /// - Parameters:
  ///   - name: The global's name.
  ///   - revision: Which setting of the global it is.
  ///   - isNull: Whether the value is `null`, which a session that never had another one has.
  ///   - work: Delivers it; what is folded in by this is put down as the global's doing.
  func deliver(
    global name: String, revision: UInt64, isNull: Bool, _ work: @escaping @Sendable () -> Void)
}

/// A session's serial context is whatever turn its engine has.
extension SessionLink: GlobalContext {
  @usableFromInline
  var isCurrent: Bool {
    session?.engine.isCurrent ?? false
  }

  @usableFromInline
  func perform(_ work: @escaping @Sendable () -> Void) {
    session?.engine.perform(bound: .max, work)
  }

  func deliver(
    global name: String, revision: UInt64, isNull: Bool, _ work: @escaping @Sendable () -> Void
  ) {
    guard let session else { return }
    session.engine.perform(bound: .max) { [weak session] in
      guard let session else { return }
      let isNews = session.book.withLock { book in
        let isNews = book.globals[name].map { $0 != revision } ?? !isNull
        if isNews { book.globals[name] = revision }
        return isNews
      }
      guard isNews else { return }
      session.engine.attribute(.global(name: name, revision: revision), work)
    }
  }
}
