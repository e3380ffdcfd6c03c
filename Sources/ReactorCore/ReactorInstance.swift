internal import Synchronization

/// The part of a reactor that holds its pipeline; subclassed through ``Reactor``.
open class ReactorInstance {
  private let slot = Mutex<(any PipelineLifetime)?>(nil)

  /// Makes the instance.
  ///
  /// The parameter is never passed. It keeps this from being named `init()`, which a reactor that
  /// declares its own `init()`, as in ReactorKit, would have to mark with `override`.
  public init(_: Void = ()) {}

  deinit {
    slot.withLock { $0.take() }?.shutDown()
  }

  /// The instance's pipeline, made when it is first asked for.
  fileprivate func pipeline<Action, Mutation, State>(
    orMake make: () -> Pipeline<Action, Mutation, State>
  ) -> Pipeline<Action, Mutation, State> {
    slot.withLock { slot in
      if let held = slot as? Pipeline<Action, Mutation, State> { return held }
      let made = make()
      slot = made
      return made
    }
  }
}

extension ReactorProtocol where Self: ReactorInstance {
  /// The reactor's pipeline; making it runs no code of the reactor.
  package var pipeline: Pipeline<Action, Mutation, State> {
    pipeline { Pipeline(of: self) }
  }
}

/// What ends with the instance that holds a pipeline.
protocol PipelineLifetime: AnyObject, Sendable {
  func shutDown()
}
