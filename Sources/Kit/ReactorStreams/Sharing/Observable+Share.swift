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
  public func share(
    replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected
  ) -> Observable<Element> {
    let shared = SharedSource(asObservable(), replay: replay, scope: scope)
    return Observable { shared.subscribe($0) }
  }
}

/// One subscription to a stream for any number of observers.
private final class SharedSource<Element: Sendable>: Sendable {
  /// The state that simultaneous observers share.
  private final class Connection: Sendable {
    let broadcaster: Broadcaster<Element>
    let upstream = DisposableSlot()

    init(_ broadcaster: Broadcaster<Element>) {
      self.broadcaster = broadcaster
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

  init(_ source: Observable<Element>, replay: Int, scope: SubjectLifetimeScope) {
    self.source = source
    self.replay = replay
    lasting = scope == .forever ? Broadcaster(replay: replay) : nil
  }

  func subscribe(_ observer: any ObserverType<Element>) -> any Disposable {
    if let lasting, lasting.end != nil { return lasting.subscribe(observer) }
    let (connection, isFirst) = state.withLock { state in
      let connection = state.current ?? Connection(lasting ?? Broadcaster(replay: replay))
      state.current = connection
      state.observerCount += 1
      return (connection, state.observerCount == 1)
    }
    let membership = connection.broadcaster.subscribe(observer)
    if isFirst { connect(connection) }
    return Disposables.create { [self] in
      membership.dispose()
      leave(connection)
    }
  }

  private func connect(_ connection: Connection) {
    let observer = AnyObserver<Element> { [self] event in
      // Close the connection before the delivery: an observer that subscribes again at the stop
      // event must start a new connection.
      if event.isStopEvent { close(connection) }
      connection.broadcaster.send(event)
      if event.isStopEvent { connection.upstream.dispose() }
    }
    let subscription = CurrentSerialContext.withoutGathering { source.attach(observer) }
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
