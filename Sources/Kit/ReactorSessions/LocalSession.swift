internal import ReactorCoding
internal import ReactorCore
internal import ReactorLog
internal import ReactorStreams
internal import Synchronization

/// A session of an app: its reactor, with the types erased.
final class LocalSession: Sendable {
  let key: SessionKey
  let pipeline: any SerialContext & PipelineControl
  /// Connects the streams of the reactor.
  let connect: @Sendable () -> Void
  /// The States as JSON; fails when the session is removed.
  let states: Observable<[UInt8]>
  private let currentState: @Sendable () throws -> [UInt8]?
  /// Decodes actions, and executes them as parts of a send, in the serial context.
  private let execute: @Sendable ([UInt8], LocalEffect) throws -> Void
  private let removal = PublishSubject<[UInt8]>()
  private let isRemoved = Atomic(false)

  init<R: Reactor>(_ reactor: R, as key: SessionKey) where R.Action: Codable, R.State: Codable {
    let pipeline = reactor.retainingPipeline
    self.key = key
    self.pipeline = pipeline
    connect = { pipeline.connect() }
    states = .merge(
      pipeline.state.map { try JSONCoder.encode($0) }, removal.asObservable())
    currentState = { try pipeline.currentState.map { try JSONCoder.encode($0) } }
    execute = { json, send in
      for action in try Self.actions(R.Action.self, from: json) {
        send.begin()
        let effect = LocalEffect { send.end($0) }
        effect.begin()
        effect.end(pipeline.executeInContext(action, as: effect))
      }
    }
  }

  /// Executes the actions of a send in the mailbox.
  ///
  /// - Parameters:
  ///   - json: An action, or an array of actions.
  ///   - request: Their request.
  ///   - expectation: How long to wait.
  ///   - limit: The maximum time to wait for effects.
  ///   - observer: Receives the result.
  func send(
    _ json: [UInt8], for request: RequestContext, expecting expectation: SendExpectation,
    atMost limit: Duration, _ observer: any ObserverType<[UInt8]>
  ) {
    connect()
    pipeline.enqueue { [self] in
      let send = LocalEffect { [self] error in
        respond(to: observer, error, expecting: expectation)
      }
      send.begin()
      let failure: (any Error)?
      do {
        try RequestContext.$current.withValue(request) { try execute(json, send) }
        failure = nil
      } catch {
        failure = SessionSendError.invalidAction(key, detail: "\(error)")
      }
      send.end(failure)
      if case .effects = expectation {
        send.complete(after: limit, on: pipeline.timer)
      } else {
        send.complete()
      }
    }
  }

  /// Ends the reactor, the observers of the States, and the sends that wait.
  func remove() {
    isRemoved.store(true, ordering: .releasing)
    pipeline.shutDown()
    removal.onError(SessionSendError.ended(key))
  }

  private func respond(
    to observer: any ObserverType<[UInt8]>, _ error: (any Error)?,
    expecting expectation: SendExpectation
  ) {
    do {
      if isRemoved.load(ordering: .acquiring) { throw SessionSendError.ended(key) }
      if let error { throw error }
      if expectation.hasState, let state = try currentState() { observer.on(.next(state)) }
      observer.on(.completed)
    } catch {
      observer.on(.error(error))
    }
  }

  private static func actions<Action: Codable>(
    _ type: Action.Type, from json: [UInt8]
  ) throws -> [Action] {
    // An action can be an array itself.
    if let action = try? JSONCoder.decode(type, from: json) { return [action] }
    guard json.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "[") else {
      return [try JSONCoder.decode(type, from: json)]
    }
    return try JSONCoder.decode([Action].self, from: json)
  }
}
