public import ReactorStreams
internal import Synchronization

/// A stream whose observers share one subscription, which `connect()` starts.
public protocol ConnectableObservableType<Element>: ObservableType {
  /// Subscribes to the source, unless there is a subscription.
  ///
  /// - Returns: A disposable that ends the subscription.
  func connect() -> any Disposable
}

extension ConnectableObservableType {
  /// Returns this stream, connected while it has observers.
  ///
  /// The first observer after the source's end connects again.
  public func refCount() -> Observable<Element> {
    let counter = RefCount(self)
    return Observable { counter.subscribe($0) }.guarded()
  }
}

/// A stream whose observers share one subscription through a subject.
///
/// When the source ends, the subject of the connection retains the stop event and the replayed
/// elements for later observers, until the next `connect()` creates a new subject.
public final class ConnectableObservable<Element: Sendable>: ConnectableObservableType {
  private typealias Subject = any SubjectType<Element>

  private struct State {
    var subject: Subject?
    var connection: Connection<Element>?
    var hasEnded = false
  }

  private let source: Observable<Element>
  private let makeSubject: @Sendable () -> any SubjectType<Element>
  private let state = Mutex(State())

  init(
    _ source: Observable<Element>, makeSubject: @escaping @Sendable () -> any SubjectType<Element>
  ) {
    self.source = source
    self.makeSubject = makeSubject
  }

  /// Adds an observer; this does not subscribe to the source.
  ///
  /// - Returns: A disposable that removes the observer.
  public func subscribe(_ observer: any ObserverType<Element>) -> any Disposable {
    currentSubject().subscribe(observer)
  }

  /// Subscribes to the source, unless there is a subscription.
  ///
  /// - Returns: A disposable that ends the subscription. The observers receive no event; later
  ///   observers wait for the next connection, which replays no elements of this connection.
  public func connect() -> any Disposable {
    let connection = Connection<Element>()
    let existing = state.withLock { state in
      defer { if state.connection == nil { state.connection = connection } }
      return state.connection
    }
    if let existing { return disconnecting(existing) }
    let subject = currentSubject(replacingEnded: true)
    connection.upstream.setDisposable(
      CurrentSerialContext.withoutGathering {
        source.attach(
          AnyObserver { [self] event in
            if event.isStopEvent { end(connection) }
            subject.on(event)
          })
      })
    return disconnecting(connection)
  }

  /// Adds an observer.
  ///
  /// If the source has ended, the observer is added to a new subject.
  fileprivate func subscribeAnew(_ observer: any ObserverType<Element>) -> any Disposable {
    currentSubject(replacingEnded: true).subscribe(observer)
  }

  private func currentSubject(replacingEnded: Bool = false) -> Subject {
    // The subject of an ended connection is released outside of the lock.
    let (existing, _) = state.withLock { state -> (Subject?, Subject?) in
      guard state.hasEnded, replacingEnded else { return (state.subject, nil) }
      state.hasEnded = false
      return (nil, state.subject.take())
    }
    if let existing { return existing }
    // The closure is user code. If two threads create a subject, the first is used.
    let made = makeSubject()
    return state.withLock { state in
      let subject = state.subject ?? made
      state.subject = subject
      return subject
    }
  }

  private func end(_ connection: Connection<Element>) {
    state.withLock { state in
      guard state.connection === connection else { return }
      state.connection = nil
      state.hasEnded = true
    }
    connection.upstream.dispose()
  }

  private func disconnecting(_ connection: Connection<Element>) -> any Disposable {
    Disposables.create { [self] in
      // The subject is released outside of the lock.
      _ = state.withLock { state -> State? in
        guard state.connection === connection else { return nil }
        defer { state = State() }
        return state
      }
      connection.upstream.dispose()
    }
  }
}

/// One subscription of a connectable stream to its source.
private final class Connection<Element: Sendable>: Sendable {
  let upstream = SingleAssignmentDisposable()
}

/// Connects with the first observer and disconnects with the last.
private final class RefCount<Source: ConnectableObservableType>: Sendable {
  typealias Element = Source.Element

  private struct State {
    var observerCount = 0
    var connection: SerialDisposable?
  }

  private let source: Source
  private let state = Mutex(State())

  init(_ source: Source) {
    self.source = source
  }

  func subscribe(_ observer: any ObserverType<Element>) -> any Disposable {
    let (connection, isFirst) = state.withLock { state in
      state.observerCount += 1
      if let connection = state.connection { return (connection, false) }
      let connection = SerialDisposable()
      state.connection = connection
      return (connection, true)
    }
    let observing = AnyObserver<Element> { [self] event in
      if event.isStopEvent { end(connection) }
      observer.on(event)
    }
    let membership =
      if isFirst, let source = source as? ConnectableObservable<Element> {
        source.subscribeAnew(observing)
      } else {
        source.subscribe(observing)
      }
    // The first observer does not connect if it has already received a stop event of the subject.
    if isFirst, isCurrent(connection) { connection.disposable = source.connect() }
    return Disposables.create { [self] in
      membership.dispose()
      leave(connection)
    }
  }

  private func isCurrent(_ connection: SerialDisposable) -> Bool {
    state.withLock { $0.connection === connection }
  }

  /// Removes a connection whose source has ended.
  ///
  /// The next observer starts a new connection.
  private func end(_ connection: SerialDisposable) {
    let isCurrent = state.withLock { state in
      guard state.connection === connection else { return false }
      state = State()
      return true
    }
    if isCurrent { connection.dispose() }
  }

  private func leave(_ connection: SerialDisposable) {
    let isLast = state.withLock { state in
      guard state.connection === connection else { return false }
      state.observerCount -= 1
      guard state.observerCount == 0 else { return false }
      state.connection = nil
      return true
    }
    if isLast { connection.dispose() }
  }
}
