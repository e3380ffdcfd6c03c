public import ReactorCore

/// What is done with an engine for each session or each action.
///
/// Closures where calls would do: they are made, and with them all that a session and an action come
/// by, in the module that registers the reactor, where the types are known. Elsewhere those would be
/// looked up at run time, which was a third of a request and of making a session.
@usableFromInline
struct EngineCalls<R: Reactor>: Sendable
where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
  /// Makes an engine for a restored state.
  let assemble: @Sendable (ReactorBlueprint<R>, R.State?) -> ReactorEngine<R>

  /// Connects the reactor's streams.
  let connect: @Sendable (ReactorEngine<R>) -> Void

  /// Decodes an action, or an array of actions.
  let prepare: @Sendable (ReactorEngine<R>, [UInt8]) throws(ActionDecodingError) -> PreparedActions

  /// Runs one of the blueprint's plain actions, by its place.
  let runPlain: @Sendable (ReactorEngine<R>, Int, ActionRequest) -> Void

  /// Runs work in the session's serial context, unless more items than the bound wait there.
  let perform: @Sendable (ReactorEngine<R>, Int, @escaping @Sendable () -> Void) -> Bool

  /// Runs work in the session's serial context, unless something runs there.
  let performIfFree: @Sendable (ReactorEngine<R>, () -> Void) -> Bool

  @inlinable
  init() {
    self.init(
      assemble: { ReactorEngine($0, restored: $1) },
      connect: { $0.connect() },
      prepare: { engine, body throws(ActionDecodingError) in try engine.prepareActions(body) },
      runPlain: { $0.runPlain($1, for: $2) },
      perform: { $0.pipeline.perform(bound: $1, $2) },
      performIfFree: { $0.pipeline.performIfFree($1) })
  }

  @usableFromInline
  init(
    assemble: @escaping @Sendable (ReactorBlueprint<R>, R.State?) -> ReactorEngine<R>,
    connect: @escaping @Sendable (ReactorEngine<R>) -> Void,
    prepare:
      @escaping @Sendable (
        ReactorEngine<R>, [UInt8]
      ) throws(ActionDecodingError) -> PreparedActions,
    runPlain: @escaping @Sendable (ReactorEngine<R>, Int, ActionRequest) -> Void,
    perform: @escaping @Sendable (ReactorEngine<R>, Int, @escaping @Sendable () -> Void) -> Bool,
    performIfFree: @escaping @Sendable (ReactorEngine<R>, () -> Void) -> Bool
  ) {
    self.assemble = assemble
    self.connect = connect
    self.prepare = prepare
    self.runPlain = runPlain
    self.perform = perform
    self.performIfFree = performIfFree
  }
}
