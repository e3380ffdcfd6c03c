extension ReactorProtocol where Self: ReactorInstance {
  /// Whether the stub replaces the pipeline.
  ///
  /// While the value is `true`, ``action``, ``state`` and ``currentState`` are those of the stub.
  /// Existing subscriptions remain, and the pipeline continues from its own state when the stub is
  /// disabled.
  public var isStubEnabled: Bool {
    get { isStubbed }
    set { isStubbed = newValue }
  }

  /// The stub, which replaces the pipeline while ``isStubEnabled`` is `true`.
  public var stub: Stub<Self> {
    Stub(reactor: self, recording: recording)
  }

  var recording: StubRecording<Action, State> {
    recording(showing: pipeline.currentState ?? pipeline.seed(initialState))
  }
}

extension Stub where Reactor: ReactorInstance {
  /// ReactorKit 2's name of ``ReactorProtocol/isStubEnabled``.
  public var isEnabled: Bool {
    get { reactor.isStubEnabled }
    nonmutating set { reactor.isStubEnabled = newValue }
  }
}
