public import ReactorStreams

/// Reports the progress of an effect to the observers of the session's activity.
///
/// A host counts the running effects; only the reactor knows their progress. Async code reports it
/// with ``report(_:)``, a stream with `trackProgress(_:)`:
///
/// ```swift
/// case .upload(let files):
///   return .run { send in
///     for (index, file) in files.enumerated() {
///       try await api.upload(file)
///       EffectProgress.report(Double(index + 1) / Double(files.count))
///     }
///     send(.setUploaded)
///   }
/// ```
///
/// Progress is not part of the state: it is not logged, and it is removed when the effect ends. Use
/// a mutation for progress that belongs to the state, and an ``ActivityIndicator`` for progress
/// that only a view shows.
public enum EffectProgress {
  /// Reports the progress of the effect that executes this code, from 0 to 1.
  ///
  /// Call it in the subscriptions of the effect's streams and in the tasks that they start; elsewhere
  /// it does nothing. Only the latest value is published, so that frequent calls are cheap.
  public static func report(_ fraction: Double) {
    EffectContext.current?.effect.report(fraction)
  }
}

extension ObservableType {
  /// Reports the progress of this stream's effect with each element.
  ///
  /// For streams that `mutate` returns; elsewhere it has no effect.
  ///
  /// ```swift
  /// case .upload(let file):
  ///   return api.upload(file)
  ///     .trackProgress { $0.fractionCompleted }
  ///     .compactMap { $0.result.map(Mutation.setUploaded) }
  /// ```
  ///
  /// - Parameter fraction: Returns the progress at an element, from 0 to 1; `nil` reports nothing.
  /// - Returns: The same elements.
  public func trackProgress(
    _ fraction: @escaping @Sendable (Element) -> Double?
  ) -> Observable<Element> {
    let source = asObservable()
    return Observable { downstream in
      guard let context = EffectContext.current?.effect else {
        return source.attach(downstream)
      }
      return source.do(onNext: { element in
        if let fraction = fraction(element) { context.report(fraction) }
      }).attach(downstream)
    }
  }
}
