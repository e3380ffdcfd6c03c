internal import ReactorCore
internal import ReactorStreams
internal import Synchronization

/// The serial context of a session's reactor, through which the reactor accesses the session.
///
/// The reactor's streams retain it, so it does not retain the session.
@usableFromInline
final class SessionSerialContext: GlobalContext {
  @usableFromInline weak let session: LiveSession?
  /// Whether the streams are being connected; changed in turns of the session.
  private let isJoining = Atomic<Bool>(false)

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
    // The thread that enqueues or executes the work can belong to another session's request.
    session?.enqueue { CarriedRequest.bind(nil, work) }
  }

  // MARK: Values from outside

  @usableFromInline
  func joining(_ connect: () -> Void) {
    let outer = isJoining.exchange(true, ordering: .relaxed)
    connect()
    isJoining.store(outer, ordering: .relaxed)
    if !outer { deliverJoins() }
  }

  func beginObservation(of name: String) -> ValueObservation {
    ValueObservation(
      name: name, number: session?.globals.beginObservation(of: name) ?? 1,
      isJoin: isJoining.load(ordering: .relaxed))
  }

  func end(_ observation: ValueObservation) { session?.globals.end(observation) }

  func deliver(
    _ value: OutsideValue, to observation: ValueObservation, _ work: @escaping @Sendable () -> Void
  ) {
    let value = SessionJoins.Value(value: value, observation: observation, work: work)
    guard observation.isJoin, let joins = session?.joins else { return deliver(value) }
    if joins.add(value, isJoining: isJoining.load(ordering: .relaxed)) { deliver(value) }
  }

  var waitsForJoins: Bool { session?.joins.waits ?? false }

  func beginJoin(_ open: @escaping @Sendable () -> Void) { session?.joins.begin(open) }

  func endJoin() {
    guard let joins = session?.joins else { return }
    joins.end()
    deliverJoins()
    joins.completeIfDone()
  }

  /// Delivers the values of joins, unless some are missing: first those that the session has.
  private func deliverJoins() {
    guard let session, !isJoining.load(ordering: .relaxed) else { return }
    let values = session.observation.existingJoins?.take() ?? []
    let known = values.map { session.globals.has($0.value, as: $0.observation.mark) }
    for (value, isKnown) in zip(values, known) where isKnown { deliver(value) }
    for (value, isKnown) in zip(values, known) where !isKnown { deliver(value) }
  }

  private func deliver(_ delivered: SessionJoins.Value) {
    guard let session else { return }
    func enqueue() {
      session.enqueue { [self] in CarriedRequest.bind(nil) { handle(delivered) } }
    }
    guard let broadcast = Broadcast.current else { return enqueue() }
    broadcast.deliver(to: session, enqueue)
  }

  private func handle(_ delivered: SessionJoins.Value) {
    guard let session else { return }
    let (value, observation) = (delivered.value, delivered.observation)
    guard value.isNew() else { return }
    let isApplied = session.globals.receive(value, by: observation)
    let origin = MutationOrigin.global(
      name: observation.mark, revision: value.revision, isApplied: isApplied)
    // The reactor observed before the load the sources that an applied value selects.
    session.pipeline.attribute(origin) {
      if isApplied { joining(delivered.work) } else { delivered.work() }
    }
  }
}
