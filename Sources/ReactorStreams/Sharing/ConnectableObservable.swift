internal import Synchronization

/// A stream that is shared by its observers and runs from `connect()` on, with or without them.
///
/// When the source ends, that end and what is replayed stay for those who come later.
public final class ConnectableObservable<Element: Sendable>: ObservableType {
  private struct State {
    var broadcaster: Broadcaster<Element>
    var connection: SingleAssignmentDisposable?
  }

  private let source: Observable<Element>
  private let replay: Int
  private let state: Mutex<State>

  init(_ source: Observable<Element>, replay: Int) {
    self.source = source
    self.replay = replay
    state = Mutex(State(broadcaster: Broadcaster(replay: replay)))
  }

  /// Adds an observer.
  ///
  /// The source is not subscribed to by that.
  ///
  /// - Returns: What takes it out again.
  public func subscribe(_ observer: any ObserverType<Element>) -> any Disposable {
    state.withLock { $0.broadcaster }.subscribe(observer)
  }

  /// Subscribes to the source, once.
  ///
  /// - Returns: What ends the subscription, without a word to the observers; those who come later
  ///   wait for the next connection and are replayed nothing of this one.
  public func connect() -> any Disposable {
    let connection = SingleAssignmentDisposable()
    let (existing, broadcaster) = state.withLock { state in
      defer { if state.connection == nil { state.connection = connection } }
      return (state.connection, state.broadcaster)
    }
    if existing == nil, broadcaster.end == nil {
      connection.setDisposable(
        CurrentSerialContext.sharing {
          source.subscribe(AnyObserver(eventHandler: broadcaster.send))
        })
    }
    let subscription = existing ?? connection
    return Disposables.create { [self] in
      disconnect(subscription)
      subscription.dispose()
    }
  }

  /// This stream, connected while somebody observes.
  public func refCount() -> Observable<Element> {
    let counted = RefCount(self)
    return Observable { counted.subscribe($0) }
  }

  private func disconnect(_ connection: SingleAssignmentDisposable) {
    // The old ones are let go outside of the lock.
    _ = state.withLock { state -> State? in
      guard state.connection === connection else { return nil }
      defer {
        // An end that was told stays told.
        let fresh = state.broadcaster.end == nil ? Broadcaster(replay: replay) : state.broadcaster
        state = State(broadcaster: fresh)
      }
      return state
    }
  }
}

/// Connects with the first observer and disconnects with the last.
private final class RefCount<Element: Sendable>: Sendable {
  private struct State {
    var count = 0
    var connection: SerialDisposable?
  }

  private let source: ConnectableObservable<Element>
  private let state = Mutex(State())

  init(_ source: ConnectableObservable<Element>) {
    self.source = source
  }

  func subscribe(_ observer: any ObserverType<Element>) -> any Disposable {
    let membership = source.subscribe(observer)
    let (connection, isFirst) = state.withLock { state in
      state.count += 1
      let connection = state.connection ?? SerialDisposable()
      defer { state.connection = connection }
      return (connection, state.connection == nil)
    }
    if isFirst { connection.disposable = source.connect() }
    return Disposables.create { [self] in
      membership.dispose()
      let last = state.withLock { state -> SerialDisposable? in
        state.count -= 1
        return state.count == 0 ? state.connection.take() : nil
      }
      last?.dispose()
    }
  }
}
