public import ReactorStreams
internal import Synchronization

/// The elements of a stream that have the same key.
public struct GroupedObservable<Key: Sendable, Element: Sendable>: ObservableType {
  /// The key of the elements.
  public let key: Key

  private let source: Observable<Element>

  /// Creates a group.
  public init(key: Key, source: Observable<Element>) {
    self.key = key
    self.source = source
  }

  /// Starts delivering the group's elements to an observer.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func subscribe(_ observer: any ObserverType<Element>) -> any Disposable {
    source.subscribe(observer)
  }

  /// Returns the group as an `Observable`.
  public func asObservable() -> Observable<Element> {
    source
  }
}

extension ObservableType {
  /// Returns this stream's elements in one stream per key.
  ///
  /// A group is emitted when its first element arrives. The subscription to the source continues
  /// while a group is observed, even after the outer subscription was canceled. Groups are retained
  /// until the source ends: do not use keys with many distinct values.
  public func groupBy<Key: Hashable & Sendable>(
    keySelector: @escaping @Sendable (Element) throws -> Key
  ) -> Observable<GroupedObservable<Key, Element>> {
    let source = asObservable()
    return Observable<GroupedObservable<Key, Element>> { downstream in
      GroupSink<Element, Key, Element, GroupedObservable<Key, Element>>(
        downstream,
        assign: { (try keySelector($0), $0) },
        make: { GroupedObservable(key: $0, source: $1) }
      ).attached(to: source)
    }
  }
}

/// Distributes the elements of a stream over groups.
///
/// Each group is a stream.
final class GroupSink<
  Input: Sendable, Key: Hashable & Sendable, Element: Sendable, Group: Sendable
>: ObserverType, Disposable {
  private let output: OperatorSink<Group, Group>
  private let assign: @Sendable (Input) throws -> (Key, Element?)
  private let make: @Sendable (Key, Observable<Element>) -> Group
  private let groups = Mutex<[Key: PublishSubject<Element>]>([:])
  private let upstream = SingleAssignmentDisposable()
  private let users: RefCountDisposable

  /// - Parameters:
  ///   - downstream: Receives the groups.
  ///   - assign: Returns the key of an input's group and the element; without an element, a new
  ///     group starts and all earlier groups complete.
  ///   - make: Creates the element that represents a group downstream.
  init(
    _ downstream: any ObserverType<Group>,
    assign: @escaping @Sendable (Input) throws -> (Key, Element?),
    make: @escaping @Sendable (Key, Observable<Element>) -> Group
  ) {
    output = OperatorSink(downstream) { _, _ in }
    self.assign = assign
    self.make = make
    users = RefCountDisposable(disposable: upstream)
  }

  func attached(to source: Observable<Input>) -> any Disposable {
    upstream.setDisposable(source.attach(self))
    return self
  }

  func on(_ event: Event<Input>) {
    switch event {
    case .next(let input):
      do {
        let (key, element) = try assign(input)
        guard let element else {
          endAll(with: .completed)
          return open(key, first: nil)
        }
        let group = groups.withLock { $0[key] }
        if let group { group.on(.next(element)) } else { open(key, first: element) }
      } catch {
        finish(error)
      }
    case .error(let error): finish(error)
    case .completed: finish(nil)
    }
  }

  func dispose() {
    output.dispose()
    users.dispose()
  }

  private func open(_ key: Key, first: Element?) {
    let subject = PublishSubject<Element>()
    groups.withLock { $0[key] = subject }
    let users = users
    let stream = Observable<Element>(
      source: .forwarding { observer in
        let use = users.retain()
        return Disposables.create(use, subject.subscribe(observer))
      })
    output.forward(make(key, stream))
    if let first { subject.on(.next(first)) }
  }

  private func finish(_ error: (any Error)?) {
    endAll(with: error.map { .error($0) } ?? .completed)
    output.finish(error)
    upstream.dispose()
    users.dispose()
  }

  private func endAll(with end: Event<Element>) {
    let ended = groups.withLock { groups in
      defer { groups = [:] }
      return groups
    }
    for group in ended.values { group.on(end) }
  }
}
