public import ReactorStreams

extension ObservableType {
  /// Returns this stream, shared through a subject.
  public func multicast(_ subject: some SubjectType<Element>) -> ConnectableObservable<Element> {
    ConnectableObservable(asObservable()) { subject }
  }

  /// Returns this stream, shared through a subject that each connection creates.
  public func multicast(
    makeSubject: @escaping @Sendable () -> some SubjectType<Element>
  ) -> ConnectableObservable<Element> {
    ConnectableObservable(asObservable()) { makeSubject() }
  }

  /// Returns a stream that is derived from this stream.
  ///
  /// Each subscription shares this stream through a subject.
  ///
  /// - Parameters:
  ///   - subjectSelector: Creates the subject.
  ///   - selector: Returns the derived stream. It can use the shared stream several times.
  /// - Returns: The derived stream. An error of a closure fails it.
  public func multicast<Result: Sendable>(
    _ subjectSelector: @escaping @Sendable () throws -> some SubjectType<Element>,
    selector: @escaping @Sendable (Observable<Element>) throws -> Observable<Result>
  ) -> Observable<Result> {
    let source = asObservable()
    return Observable<Result> { downstream in
      do {
        let subject = try subjectSelector()
        let shared = source.multicast(subject)
        let result = try selector(shared.asObservable())
        let subscription = result.attach(downstream)
        return Disposables.create(subscription, shared.connect())
      } catch {
        downstream.on(.error(error))
        return Disposables.create()
      }
    }.guarded()
  }

  /// Returns this stream, shared by its observers after `connect()`.
  public func publish() -> ConnectableObservable<Element> {
    multicast { PublishSubject() }
  }

  /// Returns this stream, shared by its observers after `connect()`.
  ///
  /// A later observer first receives the last elements.
  public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
    multicast { ReplaySubject.create(bufferSize: bufferSize) }
  }

  /// Returns this stream, shared by its observers after `connect()`.
  ///
  /// A later observer first receives all elements. Its memory grows with each element: use it only
  /// for streams that end soon.
  public func replayAll() -> ConnectableObservable<Element> {
    multicast { ReplaySubject.createUnbounded() }
  }
}
