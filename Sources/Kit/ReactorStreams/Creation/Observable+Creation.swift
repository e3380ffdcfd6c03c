extension Observable {
  /// Returns a stream of one element.
  @inlinable
  public static func just(_ element: Element) -> Observable<Element> {
    Observable(source: .just(element))
  }

  /// Returns a stream of one element that a scheduler emits.
  public static func just(
    _ element: Element, scheduler: any SchedulerType
  ) -> Observable<Element> {
    emitting(CollectionOfOne(element), on: scheduler)
  }

  /// Returns a stream of elements.
  ///
  /// The elements are emitted before `subscribe` returns. If several of these streams are combined,
  /// their elements alternate, see ``CurrentThreadScheduler``.
  public static func of(_ elements: Element...) -> Observable<Element> {
    Observable(source: .elements(elements))
  }

  /// Returns a stream of elements that a scheduler emits.
  public static func of(
    _ elements: Element..., scheduler: any SchedulerType
  ) -> Observable<Element> {
    emitting(elements, on: scheduler)
  }

  /// Returns a stream of a sequence's elements.
  ///
  /// This call reads the sequence.
  public static func from(_ elements: some Sequence<Element>) -> Observable<Element> {
    Observable(source: .elements(Array(elements)))
  }

  /// Returns a stream of a sequence's elements that a scheduler emits.
  ///
  /// Each subscription iterates the sequence. The sequence can be infinite.
  public static func from(
    _ elements: some Sequence<Element> & Sendable, scheduler: any SchedulerType
  ) -> Observable<Element> {
    emitting(elements, on: scheduler)
  }

  /// Returns a stream of the value of an optional; an empty stream for `nil`.
  public static func from(optional: Element?) -> Observable<Element> {
    optional.map { .just($0) } ?? .empty()
  }

  /// Returns a stream of the value of an optional that a scheduler emits; an empty stream for
  /// `nil`.
  public static func from(
    optional: Element?, scheduler: any SchedulerType
  ) -> Observable<Element> {
    emitting(optional.map { [$0] } ?? [], on: scheduler)
  }

  /// Returns a stream that completes immediately.
  @inlinable
  public static func empty() -> Observable<Element> {
    Observable(source: .elements([]))
  }

  /// Returns a stream that never emits and never ends.
  public static func never() -> Observable<Element> {
    Observable { _ in Disposables.create() }
  }

  /// Returns a stream that fails immediately.
  public static func error(_ error: any Error) -> Observable<Element> {
    Observable(
      source: .forwarding { observer in
        observer.on(.error(error))
        return Disposables.create()
      })
  }

  /// Returns a stream that a closure creates for each subscription.
  public static func deferred(
    _ observableFactory: @escaping @Sendable () throws -> Observable<Element>
  ) -> Observable<Element> {
    Observable { observer in
      do {
        return try observableFactory().attach(observer)
      } catch {
        observer.on(.error(error))
        return Disposables.create()
      }
    }.guarded()
  }

  /// Returns a stream with a resource that is created for each subscription and disposed of when
  /// the subscription ends.
  ///
  /// - Parameters:
  ///   - resourceFactory: Creates the resource.
  ///   - observableFactory: Creates the stream.
  /// - Returns: The stream. An error of a factory fails it.
  public static func using<Resource: Disposable>(
    _ resourceFactory: @escaping @Sendable () throws -> Resource,
    observableFactory: @escaping @Sendable (Resource) throws -> Observable<Element>
  ) -> Observable<Element> {
    Observable { observer in
      var resource: (any Disposable)?
      let source: Observable<Element>
      do {
        let created = try resourceFactory()
        resource = created
        source = try observableFactory(created)
      } catch {
        source = .error(error)
      }
      let subscription = source.guarded().attach(observer)
      return Disposables.create(subscription, resource ?? Disposables.create())
    }.guarded()
  }

  /// Returns a stream of the events that the work of a subscription emits.
  ///
  /// Any thread can call the observer, also concurrently. Its events are delivered one after the
  /// other; events after a stop event or the disposal are dropped.
  ///
  /// - Parameter subscribe: Starts the work of a subscription; returns a disposable that cancels
  ///   it.
  /// - Returns: The stream. It does no work before it is subscribed to.
  public static func create(
    _ subscribe: @escaping @Sendable (AnyObserver<Element>) -> any Disposable
  ) -> Observable<Element> {
    Observable { downstream in
      let sink = SerialSink(downstream)
      sink.hold(subscribe(AnyObserver(sink)))
      return sink
    }
  }
}
