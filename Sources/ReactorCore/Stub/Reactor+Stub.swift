extension ReactorProtocol where Self: ReactorInstance {
  /// Whether the stub takes the place of the pipeline.
  ///
  /// It decides what ``action``, ``state`` and ``currentState`` are from then on. Whoever subscribed
  /// before stays where it is, and the pipeline goes on from its own state when the stub is disabled.
  public var isStubEnabled: Bool {
    get { isStubbed }
    set { isStubbed = newValue }
  }

  /// What takes the place of the pipeline while ``isStubEnabled`` is set.
  ///
  /// Reading it changes nothing.
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
