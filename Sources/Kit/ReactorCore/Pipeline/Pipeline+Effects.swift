internal import Synchronization

/// A running effect: one stream that `mutate` or `follow` returned.
@usableFromInline
package struct EffectStatus: Sendable {
  /// The identifier of the effect.
  package let id: EffectID

  /// The tracker of the action, or `nil` if it is not tracked.
  package let effect: (any TrackedEffect)?

  /// The time at which the effect started, in milliseconds since 1970.
  package let startedAt: Int64

  /// The progress of the effect, from 0 to 1, or `nil` if the effect has not reported it.
  package let progress: Double?
}

extension Pipeline {
  /// Lists the running effects.
  ///
  /// Call it in the serial context; elsewhere the list is empty.
  ///
  /// - Parameters:
  ///   - id: The list begins after this effect; `nil` begins with the first effect.
  ///   - limit: The maximum number of effects.
  /// - Returns: The effects in the order of their start.
  @usableFromInline
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

  /// Ends an effect as if it had completed, in the serial context.
  ///
  /// The mutations of the effect remain in the state. The call does nothing if the effect has
  /// ended.
  @usableFromInline
  package func cancelEffect(_ id: EffectID) {
    _ = ifOwned { contents in
      guard let sink = contents.runningSinks.first(where: { $0.context.id == id }) else { return }
      contents.receive(.completed, from: sink)
    }
  }
}

extension Pipeline: EffectTurns {
  func enqueue(for effect: (any TrackedEffect)?, _ work: @escaping @Sendable () -> Void) {
    post(.effectWork(effect, work))
  }
}

extension Pipeline: HostedReactorContext {
  func withHostContext(_ body: @escaping @Sendable ((any SerialContext)?) -> Void) {
    let isHandled: Void? = ifOwned { body($0.context) }
    if isHandled != nil { return }
    enqueue { [self] in
      _ = ifOwned { body($0.context) }
    }
  }
}
