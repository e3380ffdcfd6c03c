public import ReactorCore
internal import ReactorStreams
public import Testing

/// Tests a reactor exhaustively: each state and each error must be expected, in order, and no effect may
/// be active at the end.
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
/// Each expectation changes a copy of the previous state into the next one. A difference is recorded as
/// an issue of the current test, with a list of the differing parts; the test then continues from the
/// actual state.
///
/// Time is virtual: work that the reactor's streams delay with `MainScheduler`, or with the scheduler
/// that is passed to the initializer, waits for ``advance(by:sourceLocation:)``. Tasks are not virtual;
/// an expectation waits for them.
///
/// One task uses a test at a time.
public final class ReactorTest<Tested: Reactor> where Tested.State: Equatable {
  /// The reactor; send through ``send(_:sourceLocation:expecting:)``.
  public let reactor: Tested

  /// The last state of the reactor.
  public private(set) var state: Tested.State

  /// The virtual time.
  public let time: VirtualTimeScheduler

  /// The principal of the actions that are sent after it was set, and of their effects, or `nil` for
  /// an anonymous request.
  ///
  /// The reactor reads it as `RequestContext.current?.principal`.
  public var principal: Principal?

  /// The sender of the actions that are sent after it was set; a client by default.
  ///
  /// The reactor reads it as `ActionOrigin.current`.
  public var origin = ActionOrigin.client

  private let context: VirtualSerialContext
  private let journal = ReactorJournal<Tested.State>()
  private let timeout: Duration
  private let madeAt: SourceLocation
  private var isFinished = false
  private var subscription: (any Disposable)?

  /// Connects a reactor.
  ///
  /// Its first state becomes ``state``.
  ///
  /// - Parameters:
  ///   - reactor: A new reactor.
  ///   - time: The scheduler that the reactor was created with, if any.
  ///   - timeout: The maximum time that an expectation waits for a task.
  ///   - sourceLocation: The location of the issue if ``finish(sourceLocation:)`` is not called.
  public init(
    _ reactor: Tested, time: VirtualTimeScheduler = VirtualTimeScheduler(),
    timeout: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation
  ) {
    self.reactor = reactor
    self.time = time
    self.timeout = timeout
    madeAt = sourceLocation
    let context = VirtualSerialContext(timer: time)
    self.context = context
    let journal = journal
    (state, subscription) = CurrentSerialContext.$value.withValue(context) {
      reactor.pipeline.connect(from: nil, in: context) { [weak journal] in
        journal?.note($0)
        return nil
      }
      let subscription = reactor.state.subscribe(onNext: { journal.add(.state($0)) })
      return (reactor.currentState, subscription)
    }
    // States that were emitted during the initialization cannot be expected. The test starts from
    // the latest.
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

  /// Sends an action and expects the first state that it causes synchronously.
  ///
  /// Expect further states of the action with ``receive(sourceLocation:expecting:)``.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - sourceLocation: The location of an issue.
  ///   - change: Changes the previous state into the expected state. Without it, the action must
  ///     not cause a state synchronously.
  public func send(
    _ action: Tested.Action, sourceLocation: SourceLocation = #_sourceLocation,
    expecting change: ((inout Tested.State) throws -> Void)? = nil
  ) async {
    requireNothingUnexpected(before: "sending \(action)", sourceLocation)
    let pipeline = reactor.pipeline
    // If a task is using the serial context, the action waits for its turn.
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let request = RequestContext(id: "test", principal: principal, origin: origin)
      CurrentSerialContext.$value.withValue(context) {
        RequestContext.$current.withValue(request) {
          pipeline.send(action)
        }
      }
      pipeline.enqueue { continuation.resume() }
    }
    if let change {
      expect(journal.takeFirst(), change, after: "\(action)", sourceLocation)
    } else if case .state(let shown)? = journal.first {
      record("\(action) led to a state at once, and none was expected.", shown, sourceLocation)
      _ = journal.takeFirst()
    }
  }

  /// Advances the virtual time and executes the work that is due.
  public func advance(by duration: Duration, sourceLocation: SourceLocation = #_sourceLocation) {
    requireNothingUnexpected(before: "letting \(duration) pass", sourceLocation)
    CurrentSerialContext.$value.withValue(context) { time.advance(by: duration) }
  }

  // MARK: Expecting

  /// Expects the next state.
  ///
  /// Waits for it while an effect is active.
  ///
  /// - Parameters:
  ///   - sourceLocation: The location of an issue.
  ///   - change: Changes the previous state into the expected state.
  public func receive(
    sourceLocation: SourceLocation = #_sourceLocation,
    expecting change: (inout Tested.State) throws -> Void
  ) async {
    expect(await next(), change, after: nil, sourceLocation)
  }

  /// Expects an error as the next occurrence.
  ///
  /// Waits for it while an effect is active.
  ///
  /// - Parameters:
  ///   - failure: The expected error. If its type is not equatable, descriptions are compared.
  ///   - stage: The failing stage of the reactor.
  ///   - sourceLocation: The location of an issue.
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

  /// Ends the test: all states and errors must have been expected, and no effect may be active.
  ///
  /// It waits for running effects to end, at most for the timeout.
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
      "Expected \(expectation), but nothing arrived: \(reason).", sourceLocation: sourceLocation)
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

  /// Records an issue with the changes of a state, and continues from it.
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
