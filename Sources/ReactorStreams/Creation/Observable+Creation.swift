extension Observable {
  /// A stream of one element.
  @inlinable
  public static func just(_ element: Element) -> Observable<Element> {
    Observable(source: .just(element))
  }

  /// A stream of these elements.
  ///
  /// They are emitted in one go, before `subscribe` returns; so are those of `from(_:)`.
  public static func of(_ elements: Element...) -> Observable<Element> {
    Observable(source: .elements(elements))
  }

  /// A stream of a sequence's elements, which are read now.
  public static func from(_ elements: some Sequence<Element>) -> Observable<Element> {
    Observable(source: .elements(Array(elements)))
  }

  /// A stream of what an optional holds, if it does.
  public static func from(optional: Element?) -> Observable<Element> {
    optional.map { .just($0) } ?? .empty()
  }

  /// A stream that completes at once.
  public static func empty() -> Observable<Element> {
    Observable(source: .elements([]))
  }

  /// A stream that never emits and never ends.
  public static func never() -> Observable<Element> {
    Observable { _ in Disposables.create() }
  }

  /// A stream that fails at once.
  public static func error(_ error: any Error) -> Observable<Element> {
    Observable { observer in
      observer.on(.error(error))
      return Disposables.create()
    }
  }

  /// A stream that is made anew for each subscription.
  public static func deferred(
    _ make: @escaping @Sendable () throws -> Observable<Element>
  ) -> Observable<Element> {
    Observable { observer in
      do {
        return try make().subscribe(observer)
      } catch {
        observer.on(.error(error))
        return Disposables.create()
      }
    }
  }

  /// A stream from what a subscription does.
  ///
  /// The observer may be called from any thread, by several at once too: its events are put in a
  /// row, and those after an end or after the disposal are dropped.
  ///
  /// - Parameter subscribe: Runs once for each subscription; returns what ends its work.
  /// - Returns: The stream; nothing runs before it is subscribed to.
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
