/// What clients can watch: a session, or a global.
public protocol StateSource: AnyObject, Sendable {
  /// The state that was committed last.
  var current: CommittedState { get }

  /// The state as it was at a version.
  func state(at version: Int) throws(HistoryError) -> CommittedState

  /// Reads the states after a version one after the other, from the log.
  ///
  /// - Parameter version: `nil` begins with version 0.
  /// - Returns: What reads them.
  /// - Throws: Where the version cannot be had.
  func replay(after version: Int?) throws(HistoryError) -> any StateReplay

  /// Tells an observer of every commit from now on.
  ///
  /// - Returns: The state that the observer's first one follows; `nil` where there will be none,
  ///   since the source has ended, and the observer was not added.
  func observe(_ observer: any SessionObserver) -> CommittedState?

  /// Tells an observer nothing more.
  func stopObserving(_ observer: any SessionObserver)

  /// Counts streams that watch.
  func changeSubscriberCount(by change: Int)
}
