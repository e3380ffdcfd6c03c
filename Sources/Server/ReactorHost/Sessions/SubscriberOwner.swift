internal import ReactorCore
internal import ReactorStreams

/// A source of streams with a table of subscribers, which executes the publications that ``SubscriberTable``
/// schedules.
protocol SubscriberOwner: AnyObject, Sendable {
  var environment: ReactorEnvironment { get }

  /// Reads or changes the table under its lock.
  func withSubscribers<Result: Sendable>(_ body: (inout SubscriberTable) -> Result) -> Result
}

extension SubscriberOwner {
  /// Publishes the subscribers after ``SubscriberTable/interval``.
  func schedulePublication() {
    // The publication belongs neither to the request nor to the session that caused it.
    RequestContext.$current.withValue(nil) {
      CurrentSerialContext.$value.withValue(nil) {
        _ = environment.settings.presenceScheduler.schedule(after: SubscriberTable.interval) {
          [weak self] in self?.publishPresence()
        }
      }
    }
  }

  private func publishPresence() {
    guard let (snapshot, observers) = withSubscribers({ $0.beginPublication() }) else { return }
    let update = snapshot.update
    for observer in observers { observer.presenceDidChange(update) }
    if withSubscribers({ $0.endPublication() }) { schedulePublication() }
  }
}
