internal import Synchronization

/// One stream of `mutate` that runs.
package struct EffectStatus: Sendable {
  /// Names the effect.
  package let id: EffectID

  /// The action's effect, where somebody follows it.
  package let effect: (any TrackedEffect)?

  /// When it was started, in milliseconds since 1970.
  package let startedAt: Int64

  /// How far it has come, from 0 to 1; `nil` where it does not tell.
  package let progress: Double?
}

extension Pipeline {
  /// Lists effects that run, from within the serial context; none elsewhere.
  ///
  /// - Parameters:
  ///   - id: The list begins with what was started after this one; `nil` for the first.
  ///   - limit: How many are listed at most.
  /// - Returns: The effects, the earliest first.
  package func effects(after id: EffectID?, limit: Int) -> [EffectStatus] {
    let contexts = ifOwned { contents in
      contents.runningSinks.lazy.map { (id: $0.context.id, sink: $0) }
        .filter { effect in id.map { effect.id > $0 } ?? true }
        .sorted { $0.id < $1.id }.prefix(limit)
    }
    return (contexts ?? []).map { id, sink in
      EffectStatus(
        id: id, effect: sink.effect, startedAt: sink.context.startedAt,
        progress: progress.withLock { $0[ObjectIdentifier(sink.context)] })
    }
  }

  /// Ends an effect as if it had completed, from within the serial context.
  ///
  /// What was folded in of it stays. One that has ended is left as it is.
  package func cancelEffect(_ id: EffectID) {
    _ = ifOwned { contents in
      guard let sink = contents.runningSinks.first(where: { $0.context.id == id }) else { return }
      contents.receive(.completed, from: sink)
    }
  }
}
