public import Synchronization

/// The superclass of reactors, which stores their pipeline; subclassed through ``Reactor``.
open class ReactorInstance {
  @usableFromInline let held = Mutex(Held())
  @usableFromInline let stubbed = Atomic(false)

  /// Creates an instance.
  ///
  /// The parameter is never passed. Without it the name would be `init()`, and a reactor with its
  /// own `init()`, as in ReactorKit, would have to `override` it.
  public init(_: Void = ()) {}

  deinit {
    held.withLock { $0.pipeline.take() }?.shutDown()
  }

  /// Whether the stub replaces the pipeline.
  @inlinable
  final var isStubbed: Bool {
    get { stubbed.load(ordering: .relaxed) }
    set { stubbed.store(newValue, ordering: .relaxed) }
  }

  /// Returns the instance's pipeline, which the first call creates.
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

  /// Returns the recording of the instance's stub, which the first call creates.
  final func recording<Action, State>(
    showing state: @autoclosure () -> State
  ) -> StubRecording<Action, State> {
    func existing(_ held: borrowing Held) -> StubRecording<Action, State>? {
      held.recording as? StubRecording<Action, State>
    }
    if let recording = held.withLock({ existing($0) }) { return recording }
    // Create the recording outside of the lock, since the initial state is user code. If two
    // threads create one, the first recording is used.
    let made = StubRecording<Action, State>(showing: state())
    return held.withLock { held in
      if let recording = existing(held) { return recording }
      held.recording = made
      return made
    }
  }
}

/// The pipeline and the recording of an instance.
@usableFromInline
struct Held {
  @usableFromInline var pipeline: (any PipelineControl)?
  var recording: (any AnyObject & Sendable)?
}

extension ReactorProtocol where Self: ReactorInstance {
  /// The reactor's pipeline.
  ///
  /// Creating the pipeline executes no code of the reactor.
  @inlinable
  package var pipeline: Pipeline<Action, Mutation, State> {
    pipeline { Pipeline(of: self, retainsReactor: false) }
  }

  /// The reactor's pipeline, which retains the reactor until it is shut down.
  @inlinable
  package var retainingPipeline: Pipeline<Action, Mutation, State> {
    let pipeline = pipeline { Pipeline(of: self, retainsReactor: true) }
    pipeline.retainReactor()
    return pipeline
  }
}
