/// Sets something of an object to each element that it is bound to.
///
/// It does not keep the object, and does nothing once that is gone. A failure or a completion
/// changes nothing. Elements are set in the session's serial context, the one that is current when
/// the binder is made, unless another scheduler is named.
public struct Binder<Value: Sendable>: ObserverType {
  private let set: @Sendable (Value) -> Void

  /// Makes a binder.
  ///
  /// - Parameters:
  ///   - target: What is changed.
  ///   - scheduler: Where it is changed.
  ///   - binding: Changes it.
  public init<Target: AnyObject & Sendable>(
    _ target: Target,
    scheduler: any SchedulerType = MainScheduler(),
    binding: @escaping @Sendable (Target, Value) -> Void
  ) {
    let scheduler = scheduler.resolved
    set = { [weak target] value in
      scheduler.schedule(after: .zero) { [weak target] in
        if let target { binding(target, value) }
      }
    }
  }

  /// Sets an element; an end changes nothing.
  public func on(_ event: Event<Value>) {
    if case .next(let value) = event { set(value) }
  }
}
