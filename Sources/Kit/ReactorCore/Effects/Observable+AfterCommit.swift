public import ReactorStreams

extension Observable {
  /// Returns a stream of an effect that continues after the response to its action.
  ///
  /// ```swift
  /// case .post(let text):
  ///   return .concat(
  ///     .just(.posted(text)),
  ///     .afterCommit { [members] in .merge(members.map { $0.sendOnly(.notify(text)) }) })
  /// ```
  ///
  /// The request of the action gets its response when the mutations before are committed, also if the stream
  /// takes long. The action stays in the journal until the stream ends: it runs again if the process ends
  /// before, and the sends of the stream are executed once. An error of the stream has no response; it is
  /// a stored failure, see `GET …/failures`.
  ///
  /// For streams that `mutate` and `follow` return; elsewhere, and in a reactor without a host, it is
  /// `deferred`.
  ///
  /// - Parameter stream: Returns the stream. Called in the serial context, in a turn after the commit.
  /// - Returns: The stream.
  public static func afterCommit(
    _ stream: @escaping @Sendable () -> Observable<Element>
  ) -> Observable<Element> {
    .deferred {
      guard let effect = RunningEffectContext.current, let tracked = effect.tracked else {
        return stream()
      }
      return Observable<Void>.create { observer in
        effect.withHostContext { _ in
          tracked.answer {
            // A task, since the thread of the commit has to send the response and to commit others.
            Task {
              effect.enqueue {
                observer.on(.next(()))
                observer.on(.completed)
              }
            }
          }
        }
        return Disposables.create()
      }.flatMap { stream() }
    }
  }
}
