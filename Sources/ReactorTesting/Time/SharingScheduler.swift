/// Replaces the scheduler of drivers, signals and `MainScheduler`, with the name of RxCocoa.
public enum SharingScheduler {
  /// Calls a closure during which `MainScheduler` executes work in the virtual time of a scheduler.
  ///
  /// Streams that are subscribed to during the call keep that scheduler.
  public static func mock(scheduler: TestScheduler, action: () throws -> Void) rethrows {
    try scheduler.asMainScheduler(action)
  }
}
