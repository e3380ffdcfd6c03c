public import Synchronization

/// The part of a reactor that holds its pipeline; subclassed through ``Reactor``.
open class ReactorInstance {
  @usableFromInline let held = Mutex(Held())
  @usableFromInline let stubbed = Atomic(false)

  /// Makes the instance.
  ///
  /// The parameter is never passed. It keeps this from being named `init()`, which a reactor that
  /// declares its own `init()`, as in ReactorKit, would have to mark with `override`.
  public init(_: Void = ()) {}

  deinit {
    held.withLock { $0.pipeline.take() }?.shutDown()
  }

  /// Whether the stub takes the place of the pipeline.
  @inlinable
  final var isStubbed: Bool {
    get { stubbed.load(ordering: .relaxed) }
    set { stubbed.store(newValue, ordering: .relaxed) }
  }

  /// The instance's pipeline, made when it is first asked for.
  @inlinable
  final func pipeline<Action, Mutation, State>(
    orMake make: () -> Pipeline<Action, Mutation, State>
  ) -> Pipeline<Action, Mutation, State> {
    held.withLock { held in
      if let pipeline = held.pipeline as? Pipeline<Action, Mutation, State> { return pipeline }
      let made = make()
      held.pipeline = made
      return made
    }
  }

  /// What the instance's stub keeps, made when it is first asked for.
  final func recording<Action, State>(
    showing state: @autoclosure () -> State
  ) -> StubRecording<Action, State> {
    func kept(_ held: borrowing Held) -> StubRecording<Action, State>? {
      held.recording as? StubRecording<Action, State>
    }
    if let recording = held.withLock({ kept($0) }) { return recording }
    // Made outside of the lock: the state may have to be asked of the reactor. Where two threads do
    // so, the first one's is kept.
    let made = StubRecording<Action, State>(showing: state())
    return held.withLock { held in
      if let recording = kept(held) { return recording }
      held.recording = made
      return made
    }
  }
}

/// What an instance has beside the reactor's own properties.
@usableFromInline
struct Held {
  @usableFromInline var pipeline: (any PipelineLifetime)?
  var recording: (any AnyObject & Sendable)?
}

extension ReactorProtocol where Self: ReactorInstance {
  /// The reactor's pipeline; making it runs no code of the reactor.
  @inlinable
  package var pipeline: Pipeline<Action, Mutation, State> {
    pipeline { Pipeline(of: self, isKept: false) }
  }

  /// The reactor's pipeline, which keeps the reactor alive until it is shut down.
  @inlinable
  package var keepingPipeline: Pipeline<Action, Mutation, State> {
    let pipeline = pipeline { Pipeline(of: self, isKept: true) }
    pipeline.keepReactor()
    return pipeline
  }
}

/// What ends with the instance that holds a pipeline.
@usableFromInline
protocol PipelineLifetime: AnyObject, Sendable {
  func shutDown()
}
