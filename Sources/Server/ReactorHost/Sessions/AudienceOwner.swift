internal import ReactorCore
internal import ReactorStreams

/// A source of streams with an audience, which executes the publications that ``Audience``
/// schedules.
protocol AudienceOwner: AnyObject, Sendable {
  var environment: ReactorEnvironment { get }

  /// Reads or changes the audience under its lock.
  func withAudience<Result: Sendable>(_ body: (inout Audience) -> Result) -> Result
}

extension AudienceOwner {
  /// Publishes the subscribers after ``Audience/interval``.
  func schedulePublication() {
    // The publication belongs neither to the request nor to the session that caused it.
    RequestContext.$current.withValue(nil) {
      CurrentSerialContext.$value.withValue(nil) {
        _ = environment.settings.presenceScheduler.schedule(after: Audience.interval) {
          [weak self] in self?.publishPresence()
        }
      }
    }
  }

  private func publishPresence() {
    guard let (snapshot, observers) = withAudience({ $0.beginPublication() }) else { return }
    let update = snapshot.update
    for observer in observers { observer.presenceDidChange(update) }
    if withAudience({ $0.endPublication() }) { schedulePublication() }
  }
}
