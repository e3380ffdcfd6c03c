public import ReactorStreams

/// Passes streams that are given as drawings to a closure, and draws the stream that the closure
/// returns.
///
/// The subscription starts at tick 0. The drawing ends with the last event or, at the latest, at
/// the limit. A tick is one millisecond.
///
/// ```swift
/// #expect(
///   try marbles("ab--c-|") { inputs, scheduler in
///     inputs[0].debounce(.milliseconds(2), scheduler: scheduler)
///   } == "---b--[c|]")
/// ```
///
/// - Parameters:
///   - drawings: The streams, which are cold: each one starts with its subscription.
///   - limit: The tick at which the subscription is disposed of.
///   - transform: Returns the stream to draw.
/// - Returns: The drawing; see ``Timeline``.
/// - Throws: ``Timeline/Mistake`` if a drawing is malformed.
public func marbles(
  _ drawings: String..., limit: TestTime = 1000,
  transform: @escaping @Sendable ([Observable<String>], TestScheduler) -> Observable<String>
) throws(Timeline.Mistake) -> String {
  let scheduler = TestScheduler(simulateProcessingDelay: false)
  var inputs: [Observable<String>] = []
  for drawing in drawings {
    let timeline = try Timeline(drawing)
    inputs.append(scheduler.createColdObservable(timeline.events).asObservable())
  }
  let result = scheduler.start(created: 0, subscribed: 0, disposed: limit) { [inputs] in
    transform(inputs, scheduler)
  }
  return Timeline(events: result.events).description
}
