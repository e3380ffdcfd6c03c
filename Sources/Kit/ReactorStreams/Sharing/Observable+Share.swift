internal import Synchronization

extension ObservableType {
  /// Returns this stream with one subscription for all simultaneous observers.
  ///
  /// The first observer starts the subscription; the removal of the last observer ends it.
  ///
  /// - Parameters:
  ///   - replay: The number of elements that a later observer first receives.
  ///   - scope: The lifetime of the replayed elements and of the stop event.
  /// - Returns: The shared stream.
  @inlinable
  public func share(
    replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected
  ) -> Observable<Element> {
    let shared = SharedSource(
      asObservable(), replay: replay, scope: scope, send: { $0.send($1) },
      join: { $0.subscribe($1) })
    return Observable { shared.subscribe($0) }
  }
}

/// One subscription to a stream for any number of observers.
@usableFromInline
final class SharedSource<Element: Sendable>: Sendable {
  /// The state that simultaneous observers share, and the observer of the source.
  private final class Connection: ObserverType {
    let broadcaster: Broadcaster<Element>
    let upstream = DisposableSlot()
    private let owner: SharedSource

    init(_ broadcaster: Broadcaster<Element>, of owner: SharedSource) {
      self.broadcaster = broadcaster
      self.owner = owner
    }

    func on(_ event: Event<Element>) {
      guard event.isStopEvent else { return owner.send(broadcaster, event) }
      // Close the connection before the delivery: an observer that subscribes again at the stop
      // event must start a new connection.
      owner.close(self)
      broadcaster.send(event)
      upstream.dispose()
    }
  }

  private struct State {
    var current: Connection?
    var observerCount = 0
  }

  private let source: Observable<Element>
  private let replay: Int
  private let lasting: Broadcaster<Element>?
  private let state = Mutex(State())

  // The module that contains the chain specializes these closures.
  private let send: @Sendable (Broadcaster<Element>, Event<Element>) -> Void
  private let join: @Sendable (Broadcaster<Element>, any ObserverType<Element>) -> any Disposable

  @usableFromInline
  init(
    _ source: Observable<Element>, replay: Int, scope: SubjectLifetimeScope,
    send: @escaping @Sendable (Broadcaster<Element>, Event<Element>) -> Void,
    join:
      @escaping @Sendable (Broadcaster<Element>, any ObserverType<Element>) -> any Disposable
  ) {
    self.source = source
    self.send = send
    self.join = join
    self.replay = replay
    lasting = scope == .forever ? Broadcaster(replay: replay) : nil
  }

  @usableFromInline
  func subscribe(_ observer: any ObserverType<Element>) -> any Disposable {
    if let lasting, lasting.end != nil { return lasting.subscribe(observer) }
    let (connection, isFirst) = state.withLock { state in
      let connection =
        state.current
        ?? Connection(lasting ?? Broadcaster(replay: replay), of: self)
      state.current = connection
      state.observerCount += 1
      return (connection, state.observerCount == 1)
    }
    let membership = join(connection.broadcaster, observer)
    if isFirst { connect(connection) }
    return Disposables.create { [self] in
      membership.dispose()
      leave(connection)
    }
  }

  private func connect(_ connection: Connection) {
    let subscription = CurrentSerialContext.withoutGathering { source.attach(connection) }
    connection.upstream.set(subscription)
  }

  private func leave(_ connection: Connection) {
    let isLast = state.withLock { state in
      guard state.current === connection else { return false }
      state.observerCount -= 1
      guard state.observerCount == 0 else { return false }
      state.current = nil
      return true
    }
    if isLast { connection.upstream.dispose() }
  }

  private func close(_ connection: Connection) {
    state.withLock { state in
      guard state.current === connection else { return }
      state = State()
    }
  }
}
