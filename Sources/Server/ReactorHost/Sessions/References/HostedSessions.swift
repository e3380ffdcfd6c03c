internal import ReactorCoding
internal import ReactorCore
internal import ReactorLog
internal import ReactorSessions
internal import ReactorStreams
internal import Shares
internal import Synchronization
internal import Telemetry

/// The sessions of a host, for its reactors.
///
/// It does not retain the host, because the host's reactors retain it.
final class HostedSessions: SessionLink {
  private struct State {
    weak var host: Host?
    /// The typed references of the instances in the catalogue.
    var declared: [Declaration] = []
    /// The caches of the JSON of actions, by the type of the actions.
    var texts: [ObjectIdentifier: any Sendable & AnyObject] = [:]
  }

  private struct Declaration {
    let sender: SessionKey
    let session: SessionKey
    let type: any Any.Type
  }

  /// `actions.wait`: how long a send waits for effects.
  let wait: Duration

  /// The sessions that actions are about to create.
  let creations: CreationPlaces

  private let state = Mutex(State())
  private let readsFromDisk: Bool
  /// Executes loads and folds for which no request thread may be blocked.
  private let loading = WorkerPool(width: 1, named: "loads")
  /// Executes functions on the calling thread.
  private static let inPlace = WorkerPool(width: 0)

  init(wait: Duration, readsFromDisk: Bool, ledger: Ledger) {
    self.wait = wait
    creations = CreationPlaces(ledger)
    self.readsFromDisk = readsFromDisk
  }

  /// Sets the host, once.
  func set(_ host: Host) {
    state.withLock { $0.host = host }
  }

  func reactor(_ name: String) -> (any HostedReactor)? {
    state.withLock { $0.host }?.reactor(name)
  }

  /// Returns the reactor of a session that a reactor's code has named, or `nil` if the host no longer exists.
  ///
  /// The only check of an id that a reactor has chosen, before code that opens, creates or claims sessions.
  ///
  /// Without a host there is no error, which would be stored as the outcome of the sender's action: the
  /// action remains interrupted, as by the end of the process.
  ///
  /// - Throws: The error of the reactor's name, then that of the id, in the order of a client's request.
  func reactor(of session: SessionKey) throws(SessionSendError) -> (any HostedReactor)? {
    guard let host = state.withLock({ $0.host }) else { return nil }
    guard let reactor = host.reactor(session.reactor) else { throw .unknownReactor(session) }
    guard SessionKey.isValid(id: session.id) else { throw .invalidID(session) }
    return reactor
  }

  /// Executes a function that loads sessions or folds a log: on the queue of loads if it may block on the disk.
  ///
  /// - Parameters:
  ///   - account: The account for which sessions are counted, or `nil` for none.
  ///   - body: The function.
  func load(for account: Account? = nil, _ body: @escaping @Sendable () async -> Void) {
    let pool = readsFromDisk ? loading : Self.inPlace
    Account.$current.withValue(account) { pool.start(body) }
  }

  /// Executes a function on the queue of loads.
  func enqueue(_ body: @escaping @Sendable () async -> Void) {
    Account.$current.withValue(nil) { loading.start(body) }
  }

  func send(
    _ action: [UInt8], to session: SessionKey, from sender: SessionKey,
    expecting expectation: SendExpectation
  ) -> Observable<[UInt8]> {
    Observable { [self] observer in
      send(action, to: session, from: sender, expecting: expectation, for: observer)
    }
  }

  private func send(
    _ action: [UInt8], to session: SessionKey, from sender: SessionKey,
    expecting expectation: SendExpectation, for observer: any ObserverType<[UInt8]>
  ) -> any Disposable {
    let effect = RunningEffectContext.current
    var context = (effect?.request ?? RequestContext.current).sending(to: session, from: sender)
    if case .effects = expectation {
      context.wait = .until(Stopwatch().time(after: Int(wait / .microseconds(1))))
    } else {
      context.wait = .until(0)
    }
    guard context.depth <= SessionSendError.depthLimit else {
      observer.on(.error(SessionSendError.tooDeep(session)))
      return Disposables.create()
    }
    let delivery = SendDelivery(
      action, to: session, expecting: expectation, for: context, among: self, observer: observer)
    if let sender = effect?.tracked as? ActionEffect {
      sender.send(delivery)
    } else if let effect {
      effect.withHostContext { delivery.start(inTurnOf: ($0 as? SessionSerialContext)?.session) }
    } else {
      delivery.start(inTurnOf: nil)
    }
    return delivery
  }

  func follow(
    _ session: SessionKey, receive: @escaping @Sendable (Result<[UInt8], any Error>) -> Void
  ) -> any Disposable {
    let follower = SessionFollower(
      session, among: self, in: CurrentSerialContext.value as? any GlobalContext,
      receive: receive)
    follower.start()
    return follower
  }

  /// Returns a session of this process for an observer, if it is in memory or is about to be.
  func observable(_ session: SessionKey) -> LiveSession? {
    (reactor(session.reactor) as? ReactorRuntime)?.observableSession(session.id)
  }

  // MARK: Typed references

  func texts<Action: Encodable>(of type: Action.Type) -> JSONMemo<Action>? {
    let id = ObjectIdentifier(type)
    if let known = state.withLock({ $0.texts[id] }) { return known as? JSONMemo<Action> }
    guard let texts = JSONMemo<Action>() else { return nil }
    state.withLock { $0.texts[id] = texts }
    return texts
  }

  func declare(_ type: any Any.Type, of session: SessionKey, by sender: SessionKey) {
    guard sender.id == SessionScope.catalogueID else { return }
    state.withLock {
      $0.declared.append(Declaration(sender: sender, session: session, type: type))
    }
  }

  /// Describes the first typed reference to a reactor that is not hosted, or is of another type, or returns
  /// `nil` if there is none.
  func firstMismatch(in host: Host) -> String? {
    for declared in state.withLock({ $0.declared }) {
      let name = declared.session.reactor
      let sender = declared.sender.reactor
      guard let reactor = host.local.first(where: { $0.name == name }) else {
        return "the reactor \"\(sender)\" refers to \"\(name)\", which is not hosted"
      }
      guard reactor.type == declared.type else {
        return
          "the reactor \"\(sender)\" refers to \"\(name)\" as \(declared.type), but it is \(reactor.type)"
      }
    }
    return nil
  }
}
