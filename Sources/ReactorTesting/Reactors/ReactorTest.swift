public import ReactorCore
internal import ReactorStreams
public import Testing

/// Runs a reactor and holds it to the exact: every state that it shows and every failure must be
/// expected, in order, and nothing may run when the test is over.
///
/// ```swift
/// @Test func `loading shows that it loads`() async {
///   let test = ReactorTest(ProfileReactor(api: .stub))
///   await test.send(.load) { $0.isLoading = true }
///   await test.receive { $0.name = "Ada" }
///   await test.receive { $0.isLoading = false }
///   await test.finish()
/// }
/// ```
///
/// Each expectation changes a copy of the state before into what the next state must be. What is not
/// as expected is recorded as an issue of the running test, as a list of the parts that differ; the
/// test then goes on from what the reactor showed.
///
/// Time is virtual: what the reactor's streams delay by `MainScheduler`, or by the scheduler that the
/// test was made with, waits for ``advance(by:sourceLocation:)``. Tasks run as they do elsewhere, and
/// an expectation waits for them.
///
/// A test is used by one task at a time.
public final class ReactorTest<Tested: Reactor> where Tested.State: Equatable {
  /// The reactor; send through ``send(_:sourceLocation:expecting:)``.
  public let reactor: Tested

  /// The state that was expected, or else shown, last.
  public private(set) var state: Tested.State

  /// The virtual time.
  public let time: VirtualTimeScheduler

  private let context: VirtualSerialContext
  private let journal = ReactorJournal<Tested.State>()
  private let timeout: Duration
  private let madeAt: SourceLocation
  private var isFinished = false
  private var subscription: (any Disposable)?

  /// Connects a reactor; its first state is ``state``.
  ///
  /// - Parameters:
  ///   - reactor: One that nobody has used before.
  ///   - time: The scheduler that the reactor was made with, if it was.
  ///   - timeout: How long an expectation waits for a task before it fails.
  ///   - sourceLocation: Where ``finish(sourceLocation:)`` is missed, if it is.
  public init(
    _ reactor: Tested, time: VirtualTimeScheduler = VirtualTimeScheduler(),
    timeout: Duration = .seconds(10), sourceLocation: SourceLocation = #_sourceLocation
  ) {
    self.reactor = reactor
    self.time = time
    self.timeout = timeout
    madeAt = sourceLocation
    let context = VirtualSerialContext(timer: time)
    self.context = context
    let journal = journal
    (state, subscription) = CurrentSerialContext.$value.withValue(context) {
      reactor.pipeline.connect(from: nil, in: context) { [weak journal] in journal?.note($0) }
      let subscription = reactor.state.subscribe(onNext: { journal.add(.state($0)) })
      return (reactor.currentState, subscription)
    }
    // What was merged in at once came before anybody could expect it: it is where the test begins.
    journal.forgetStates()
  }

  deinit {
    subscription?.dispose()
    if !isFinished {
      Issue.record(
        "The test of \(Tested.self) never came to finish(): what it left was not looked at.",
        sourceLocation: madeAt)
    }
  }

  // MARK: Acting

  /// Sends an action, and expects the state that it leads to before it has run.
  ///
  /// Further states of the action are for ``receive(sourceLocation:expecting:)``.
  ///
  /// - Parameters:
  ///   - action: What to send.
  ///   - sourceLocation: Where an issue is recorded.
  ///   - change: Changes the state before into the one that is expected; without it, the action must
  ///     not lead to a state at once.
  public func send(
    _ action: Tested.Action, sourceLocation: SourceLocation = #_sourceLocation,
    expecting change: ((inout Tested.State) throws -> Void)? = nil
  ) async {
    requireNothingUnexpected(before: "sending \(action)", sourceLocation)
    let pipeline = reactor.pipeline
    // An effect's task may be in the serial context right now; the action waits its turn then.
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      CurrentSerialContext.$value.withValue(context) { pipeline.send(action) }
      pipeline.perform { continuation.resume() }
    }
    if let change {
      expect(journal.takeFirst(), change, after: "\(action)", sourceLocation)
    } else if case .state(let shown)? = journal.first {
      record("\(action) led to a state at once, and none was expected.", shown, sourceLocation)
      _ = journal.takeFirst()
    }
  }

  /// Lets virtual time pass, and what is due in it run.
  public func advance(by duration: Duration, sourceLocation: SourceLocation = #_sourceLocation) {
    requireNothingUnexpected(before: "letting \(duration) pass", sourceLocation)
    CurrentSerialContext.$value.withValue(context) { time.advance(by: duration) }
  }

  // MARK: Expecting

  /// Expects the next state, and waits for it where an effect runs that may lead to it.
  ///
  /// - Parameters:
  ///   - sourceLocation: Where an issue is recorded.
  ///   - change: Changes the state before into the one that is expected.
  public func receive(
    sourceLocation: SourceLocation = #_sourceLocation,
    expecting change: (inout Tested.State) throws -> Void
  ) async {
    expect(await next(), change, after: nil, sourceLocation)
  }

  /// Expects a failure next, and waits for it where an effect runs that may fail.
  ///
  /// - Parameters:
  ///   - failure: The failure; one of a type that cannot be compared is compared by its description.
  ///   - stage: Where in the reactor it happens.
  ///   - sourceLocation: Where an issue is recorded.
  public func receive(
    failure: any Error, in stage: ReactorStage = .mutate,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    switch await next() {
    case .failure(let error, let place)? where place == stage && isSame(error, failure): break
    case .failure(let error, let place)?:
      Issue.record(
        """
        Expected the failure \(failure) in \(stage.rawValue), \
        got \(error) in \(place.rawValue).
        """, sourceLocation: sourceLocation)
    case .state(let shown)?: record("Expected a failure, got a state.", shown, sourceLocation)
    case nil: recordNothingCame("the failure \(failure)", sourceLocation)
    }
  }

  /// Ends the test: all that came must have been expected, and no effect may run any more.
  ///
  /// An effect that is about to end is waited for.
  public func finish(sourceLocation: SourceLocation = #_sourceLocation) async {
    isFinished = true
    let pipeline = reactor.pipeline
    await journal.wait(for: timeout) { $0 == nil && pipeline.runningEffectCount > 0 }
    requireNothingUnexpected(before: "the end", sourceLocation)
    let running = pipeline.runningEffectCount
    if running > 0 {
      Issue.record(
        """
        \(running == 1 ? "1 effect still runs" : "\(running) effects still run"). \
        Let time pass, end what they wait for, or cancel them.
        """, sourceLocation: sourceLocation)
    }
  }

  // MARK: Comparing

  private func next() async -> ReactorOccurrence<Tested.State>? {
    let pipeline = reactor.pipeline
    await journal.wait(for: timeout) { $0 == nil && pipeline.runningEffectCount > 0 }
    return journal.takeFirst()
  }

  private func expect(
    _ occurrence: ReactorOccurrence<Tested.State>?, _ change: (inout Tested.State) throws -> Void,
    after action: String?, _ sourceLocation: SourceLocation
  ) {
    var expected = state
    do { try change(&expected) } catch {
      Issue.record(error, sourceLocation: sourceLocation)
    }
    switch occurrence {
    case .state(let shown)?:
      state = shown
      guard shown != expected else { return }
      let title = action.map { "The state after \($0)" } ?? "The state that was received"
      Issue.record(
        """
        \(title) is not the expected one:
        \(StateDifference(from: expected, to: shown).description(["expected", "got"]))
        """, sourceLocation: sourceLocation)
    case .failure(let error, let stage)?:
      Issue.record(
        "Expected a state, got the failure \(error) in \(stage.rawValue).",
        sourceLocation: sourceLocation)
    case nil: recordNothingCame("a state", sourceLocation)
    }
  }

  private func recordNothingCame(_ expectation: String, _ sourceLocation: SourceLocation) {
    let running = reactor.pipeline.runningEffectCount
    let reason =
      running == 0
      ? "no effect runs that could lead to one"
      : "the \(running) that run did nothing within \(timeout); virtual time passes by advance(by:)"
    Issue.record(
      "Expected \(expectation), and nothing came: \(reason).", sourceLocation: sourceLocation)
  }

  private func requireNothingUnexpected(
    before step: String, _ sourceLocation: SourceLocation
  ) {
    while let occurrence = journal.takeFirst() {
      switch occurrence {
      case .state(let shown):
        record("A state came before \(step) that was not expected.", shown, sourceLocation)
      case .failure(let error, let stage):
        Issue.record(
          "A failure in \(stage.rawValue) came before \(step) that was not expected: \(error)",
          sourceLocation: sourceLocation)
      }
    }
  }

  /// Records an issue with what a state changed, and goes on from it.
  private func record(
    _ title: String, _ shown: Tested.State, _ sourceLocation: SourceLocation
  ) {
    let difference = StateDifference(from: state, to: shown)
    state = shown
    Issue.record(
      "\(title) What it changed:\n\(difference.description(["before", "then"]))",
      sourceLocation: sourceLocation)
  }
}
