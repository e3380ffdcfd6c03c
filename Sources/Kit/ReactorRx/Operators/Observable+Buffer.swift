public import ReactorStreams

extension ObservableType {
  /// Returns this stream's elements in arrays.
  ///
  /// An array is emitted when it is full, when a duration has passed, and when this stream
  /// completes. It is empty if no element has arrived.
  ///
  /// - Parameters:
  ///   - timeSpan: The maximum duration of a buffer.
  ///   - count: The maximum number of elements of a buffer.
  ///   - scheduler: The scheduler that measures the time.
  /// - Returns: The stream of buffers.
  public func buffer(
    timeSpan: Duration, count: Int, scheduler: any SchedulerType
  ) -> Observable<[Element]> {
    timed(Buffer(timeSpan: timeSpan, count: count), on: scheduler)
  }

  /// Returns this stream's elements in windows, which are streams.
  ///
  /// A window completes and the next one starts when the window has emitted a number of elements or
  /// when a duration has passed.
  ///
  /// The subscription to the source continues while a window is observed, even after the outer
  /// subscription was canceled.
  ///
  /// - Parameters:
  ///   - timeSpan: The maximum duration of a window.
  ///   - count: The maximum number of elements of a window.
  ///   - scheduler: The scheduler that measures the time.
  /// - Returns: The stream of windows.
  public func window(
    timeSpan: Duration, count: Int, scheduler: any SchedulerType
  ) -> Observable<Observable<Element>> {
    let numbered = timed(Window(timeSpan: timeSpan, count: count), on: scheduler)
    return Observable<Observable<Element>> { downstream in
      let sink = GroupSink<NumberedElement<Element>, Int, Element, Observable<Element>>(
        downstream,
        assign: { ($0.window, $0.element) },
        make: { _, window in window })
      return sink.attached(to: numbered)
    }
  }
}

private struct Buffer<Element: Sendable>: TimedMachine {
  let timeSpan: Duration
  let count: Int
  var elements: [Element] = []

  mutating func begin() -> TimedStep<[Element]> {
    TimedStep(timer: .set(timeSpan))
  }

  mutating func receive(_ event: Event<Element>, at _: Duration) -> TimedStep<[Element]> {
    switch event {
    case .next(let element):
      elements.append(element)
      return elements.count == count ? flush() : TimedStep()
    case .error(let error): return TimedStep(events: [.error(error)])
    case .completed: return TimedStep(events: [.next(elements), .completed])
    }
  }

  mutating func timeOut(at _: Duration) -> TimedStep<[Element]> {
    flush()
  }

  private mutating func flush() -> TimedStep<[Element]> {
    defer { elements = [] }
    return TimedStep(events: [.next(elements)], timer: .set(timeSpan))
  }
}

/// An element with the number of its window, or the start of the window if there is no element.
struct NumberedElement<Element: Sendable>: Sendable {
  let window: Int
  let element: Element?
}

private struct Window<Element: Sendable>: TimedMachine {
  typealias Input = Element

  let timeSpan: Duration
  let count: Int
  var number = 0
  var elementCount = 0

  mutating func begin() -> TimedStep<NumberedElement<Element>> {
    TimedStep(events: [.next(start)], timer: .set(timeSpan))
  }

  mutating func receive(
    _ event: Event<Element>, at _: Duration
  ) -> TimedStep<NumberedElement<Element>> {
    switch event {
    case .next(let element):
      let current = NumberedElement(window: number, element: element)
      elementCount += 1
      guard elementCount == count else { return TimedStep(events: [.next(current)]) }
      var step = advance()
      step.events.insert(.next(current), at: 0)
      return step
    case .error(let error): return TimedStep(events: [.error(error)])
    case .completed: return TimedStep(events: [.completed])
    }
  }

  mutating func timeOut(at _: Duration) -> TimedStep<NumberedElement<Element>> {
    advance()
  }

  private var start: NumberedElement<Element> {
    NumberedElement(window: number, element: nil)
  }

  private mutating func advance() -> TimedStep<NumberedElement<Element>> {
    number += 1
    elementCount = 0
    return TimedStep(events: [.next(start)], timer: .set(timeSpan))
  }
}
