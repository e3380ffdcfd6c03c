extension Observable {
  /// A stream of one element.
  @inlinable
  public static func just(_ element: Element) -> Observable<Element> {
    Observable(source: .just(element))
  }

  /// A stream of one element, which a scheduler emits.
  public static func just(
    _ element: Element, scheduler: any SchedulerType
  ) -> Observable<Element> {
    emitting(CollectionOfOne(element), on: scheduler)
  }

  /// A stream of elements.
  ///
  /// They are emitted before `subscribe` returns. Several of these streams that are combined take
  /// turns, see ``CurrentThreadScheduler``.
  public static func of(_ elements: Element...) -> Observable<Element> {
    Observable(source: .elements(elements))
  }

  /// A stream of elements, which a scheduler emits.
  public static func of(
    _ elements: Element..., scheduler: any SchedulerType
  ) -> Observable<Element> {
    emitting(elements, on: scheduler)
  }

  /// A stream of a sequence's elements, which are read now.
  public static func from(_ elements: some Sequence<Element>) -> Observable<Element> {
    Observable(source: .elements(Array(elements)))
  }

  /// A stream of a sequence's elements, which a scheduler emits.
  ///
  /// Each subscription iterates the sequence, which may be infinite.
  public static func from(
    _ elements: some Sequence<Element> & Sendable, scheduler: any SchedulerType
  ) -> Observable<Element> {
    emitting(elements, on: scheduler)
  }

  /// A stream of the value of an optional, or of no element.
  public static func from(optional: Element?) -> Observable<Element> {
    optional.map { .just($0) } ?? .empty()
  }

  /// A stream of the value of an optional, which a scheduler emits, or of no element.
  public static func from(
    optional: Element?, scheduler: any SchedulerType
  ) -> Observable<Element> {
    emitting(optional.map { [$0] } ?? [], on: scheduler)
  }

  /// A stream that completes at once.
  @inlinable
  public static func empty() -> Observable<Element> {
    Observable(source: .elements([]))
  }

  /// A stream that never emits and never ends.
  public static func never() -> Observable<Element> {
    Observable { _ in Disposables.create() }
  }

  /// A stream that fails at once.
  public static func error(_ error: any Error) -> Observable<Element> {
    Observable(
      source: .forwarding { observer in
        observer.on(.error(error))
        return Disposables.create()
      })
  }

  /// A stream that a closure creates for each subscription.
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
    }
  }

  /// A stream with a resource that is created for each subscription and disposed of at its end.
  ///
  /// - Parameters:
  ///   - resourceFactory: Creates the resource.
  ///   - observableFactory: Creates the stream.
  /// - Returns: The stream; an error of a factory fails it.
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

  /// A stream from the work of a subscription.
  ///
  /// The observer may be called from any thread, also concurrently: its events are delivered one
  /// after the other, and those after a stop event or the disposal are dropped.
  ///
  /// - Parameter subscribe: Called for each subscription; returns a disposable that cancels its work.
  /// - Returns: The stream, which does no work before it is subscribed to.
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
