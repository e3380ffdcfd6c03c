/// An observer that passes each element to a closure together with an object that it does not retain.
///
/// After the object is deallocated, it does nothing; stop events have no effect. By default the
/// closure is called in the serial context that is current when the binder is created.
public struct Binder<Value: Sendable>: ObserverType {
  private let set: @Sendable (Value) -> Void

  /// Creates a binder.
  ///
  /// - Parameters:
  ///   - target: The object.
  ///   - scheduler: The scheduler that calls the closure.
  ///   - binding: Called with the object and each element.
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

  /// Passes on an element; a stop event has no effect.
  public func on(_ event: Event<Value>) {
    if case .next(let value) = event { set(value) }
  }
}
