/// Replaces the scheduler of drivers, signals and `MainScheduler`.
///
/// The name is that of RxCocoa.
public enum SharingScheduler {
  /// Calls a closure during which `MainScheduler` executes work in the virtual time of a scheduler.
  ///
  /// Streams that are subscribed to during the call use that scheduler until they end.
  public static func mock(scheduler: TestScheduler, action: () throws -> Void) rethrows {
    try scheduler.asMainScheduler(action)
  }
}
