extension ObservableType {
  /// This stream, shared through a subject.
  public func multicast(_ subject: some SubjectType<Element>) -> ConnectableObservable<Element> {
    ConnectableObservable(asObservable()) { subject }
  }

  /// This stream, shared through a subject that each connection creates.
  public func multicast(
    makeSubject: @escaping @Sendable () -> some SubjectType<Element>
  ) -> ConnectableObservable<Element> {
    ConnectableObservable(asObservable()) { makeSubject() }
  }

  /// A stream derived from this one, which each subscription shares through a subject.
  ///
  /// - Parameters:
  ///   - subjectSelector: Creates the subject.
  ///   - selector: Returns the derived stream, which may use the shared one several times.
  /// - Returns: The derived stream; an error of a closure fails it.
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

  /// This stream, shared from `connect()` on.
  public func publish() -> ConnectableObservable<Element> {
    multicast { PublishSubject() }
  }

  /// This stream, shared from `connect()` on; a later observer first receives the last elements.
  public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
    multicast { ReplaySubject.create(bufferSize: bufferSize) }
  }

  /// This stream, shared from `connect()` on; a later observer first receives all elements.
  ///
  /// Its memory grows with each element, so it is for streams that end soon.
  public func replayAll() -> ConnectableObservable<Element> {
    multicast { ReplaySubject.createUnbounded() }
  }
}
