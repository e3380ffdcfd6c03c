public import ReactorStreams

/// Runs what a closure makes from drawn streams, and draws what comes out.
///
/// Tick 0 is the subscription; the drawing ends where nothing happens any more, or at the limit. One
/// tick is one millisecond.
///
/// ```swift
/// #expect(
///   try marbles("ab--c-|") { inputs, scheduler in
///     inputs[0].debounce(.milliseconds(2), scheduler: scheduler)
///   } == "---b--[c|]")
/// ```
///
/// - Parameters:
///   - drawings: The streams; each one is cold, so it begins when it is subscribed to.
///   - limit: The tick at which the subscription is disposed of.
///   - transform: Makes the stream that is drawn.
/// - Returns: The drawing; see ``Timeline``.
/// - Throws: ``Timeline/Mistake`` where a drawing cannot be read.
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
