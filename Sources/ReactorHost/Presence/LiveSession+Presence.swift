internal import ReactorCore
internal import ReactorStreams
internal import Synchronization

/// The subscribers of the session: ``Audience`` decides, this executes.
extension LiveSession {
  @usableFromInline var subscriberCount: Int {
    audience.withLock { $0.count }
  }

  @usableFromInline var presence: Presence {
    audience.withLock { $0.snapshot }.update.presence
  }

  @usableFromInline
  func changeStreams(of owner: StreamOwner, by change: Int) -> Int {
    environment.counts.subscribers.add(change, ordering: .relaxed)
    let (isDue, revision) = audience.withLock { ($0.change(owner, by: change), $0.revision) }
    if isDue { schedulePublication() }
    return revision
  }

  /// Adds the subscribers of the time before the session existed; the counters contain them already.
  func absorb(_ audience: Audience) {
    if self.audience.withLock({ $0.absorb(audience) }) { schedulePublication() }
  }

  @usableFromInline
  func observePresence(_ observer: any PresenceObserver) {
    if audience.withLock({ $0.add(observer) }) { schedulePublication() }
  }

  @usableFromInline
  func stopObservingPresence(_ observer: any PresenceObserver) {
    audience.withLock { $0.remove(observer) }
  }

  private func schedulePublication() {
    Audience.schedule(on: environment.settings.presenceScheduler) { [weak self] in
      self?.publishPresence()
    }
  }

  private func publishPresence() {
    guard let (snapshot, observers) = audience.withLock({ $0.beginPublication() }) else { return }
    let update = snapshot.update
    for observer in observers { observer.presenceDidChange(update) }
    if audience.withLock({ $0.endPublication() }) { schedulePublication() }
  }
}

extension Audience {
  /// Executes a publication after ``interval``.
  static func schedule(
    on scheduler: any SchedulerType, _ publish: @escaping @Sendable () -> Void
  ) {
    // The publication belongs neither to the request nor to the session that caused it.
    RequestContext.$current.withValue(nil) {
      CurrentSerialContext.$value.withValue(nil) {
        _ = scheduler.schedule(after: interval, publish)
      }
    }
  }
}
