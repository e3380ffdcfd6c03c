public import ReactorStreams

/// Tells how far an effect has come, for those who watch the session's activity.
///
/// A host counts the effects that run by itself; what only the reactor knows is how far they are.
/// Async code says it with ``report(_:)``, a stream with `trackProgress(_:)`:
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
/// It is no part of the state: nothing of it is logged, and it ends with the effect. What belongs
/// to the state is a mutation, and what belongs to a view alone may be an ``ActivityIndicator``.
public enum EffectProgress {
  /// Tells how far the effect has come that runs this code, from 0 to 1.
  ///
  /// It finds its effect in what the effect's streams subscribe to and in the tasks that they start.
  /// Called anywhere else, it does nothing. Only the latest value counts, so it may be called often.
  public static func report(_ fraction: Double) {
    (CurrentSerialContext.value as? EffectContext)?.report(fraction)
  }
}

extension ObservableType {
  /// This stream, whose elements tell how far the effect has come that it is part of.
  ///
  /// For what `mutate` returns; where no reactor runs the stream, nobody is told.
  ///
  /// ```swift
  /// case .upload(let file):
  ///   return api.upload(file)
  ///     .trackProgress { $0.fractionCompleted }
  ///     .compactMap { $0.result.map(Mutation.setUploaded) }
  /// ```
  ///
  /// - Parameter fraction: From 0 to 1; `nil` where an element does not tell.
  /// - Returns: The same elements.
  public func trackProgress(
    _ fraction: @escaping @Sendable (Element) -> Double?
  ) -> Observable<Element> {
    Observable { downstream in
      guard let context = CurrentSerialContext.value as? EffectContext else {
        return subscribe(downstream)
      }
      return self.do(onNext: { element in
        if let fraction = fraction(element) { context.report(fraction) }
      }).subscribe(downstream)
    }
  }
}
