extension Observable {
  /// Returns a stream of the elements of a sequence, one per step of a scheduler.
  ///
  /// On the current thread the steps of several streams alternate.
  static func emitting<Elements: Sequence & Sendable>(
    _ elements: Elements, on scheduler: any SchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> where Elements.Element == Element {
    Observable { downstream in
      let scheduler = scheduler.resolved
      let source = IteratorBox(elements)
      if scheduler is CurrentThreadScheduler {
        let emission = GeneratedEmission(next: source.next, to: downstream)
        Trampoline.ofCurrentThread.schedule(emission)
        return emission
      }
      return scheduler.scheduleRecursive(()) { _, recurse in
        guard let element = source.next() else { return downstream.on(.completed) }
        downstream.on(.next(element))
        recurse(())
      }
    }.guarded()
  }

  /// Returns a stream that repeats one element without end.
  public static func repeatElement(
    _ element: Element, scheduler: any SchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    emitting(Swift.repeatElement(element, count: .max), on: scheduler)
  }

  /// Returns a stream of the states of a loop.
  ///
  /// - Parameters:
  ///   - initialState: The first state.
  ///   - condition: The stream completes at the first state that does not satisfy it.
  ///   - scheduler: The scheduler that executes the steps.
  ///   - iterate: Returns the next state.
  /// - Returns: The stream. An error of a closure fails it.
  public static func generate(
    initialState: Element, condition: @escaping @Sendable (Element) throws -> Bool,
    scheduler: any SchedulerType = CurrentThreadScheduler.instance,
    iterate: @escaping @Sendable (Element) throws -> Element
  ) -> Observable<Element> {
    Observable { downstream in
      scheduler.resolved.scheduleRecursive(Element?.none) { previous, recurse in
        do {
          let state = try previous.map(iterate) ?? initialState
          guard try condition(state) else { return downstream.on(.completed) }
          downstream.on(.next(state))
          recurse(state)
        } catch {
          downstream.on(.error(error))
        }
      }
    }.guarded()
  }
}

extension Observable where Element: FixedWidthInteger {
  /// Returns a stream of consecutive integers.
  ///
  /// - Parameters:
  ///   - start: The first integer.
  ///   - count: The number of integers. With a negative count, or one that exceeds the type's range,
  ///     the stream fails with ``RxError/argumentOutOfRange``.
  ///   - scheduler: The scheduler that emits the integers.
  /// - Returns: The stream.
  public static func range(
    start: Element, count: Element,
    scheduler: any SchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    let (end, overflows) = start.addingReportingOverflow(count - (count > 0 ? 1 : 0))
    guard count >= 0, !overflows else { return .error(RxError.argumentOutOfRange) }
    return count == 0 ? .emitting([], on: scheduler) : .emitting(start...end, on: scheduler)
  }
}
