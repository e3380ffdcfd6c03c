internal import ReactorStreams
internal import Synchronization

extension Pipeline: ProgressObserver {
  /// The mean progress of the effects that report it, from 0 to 1, or `nil` if no effect reports it.
  @usableFromInline
  package var effectProgress: Double? {
    progress.withLock { progress in
      progress.isEmpty ? nil : progress.values.reduce(0, +) / Double(progress.count)
    }
  }

  func effect(_ effect: EffectContext, reached fraction: Double) {
    let isNew = progress.withLock { progress in
      guard !effect.isOver else { return false }
      return progress.updateValue(fraction, forKey: ObjectIdentifier(effect)) != fraction
    }
    // Enqueue one item for all reports that arrive before its turn. The host reads the progress at
    // the end of that turn.
    guard isNew, !progressIsEnqueued.exchange(true, ordering: .acquiringAndReleasing) else {
      return
    }
    enqueue { [self] in progressIsEnqueued.store(false, ordering: .releasing) }
  }

  func effectDidEnd(_ effect: EffectContext) {
    progress.withLock { progress in
      effect.end()
      progress[ObjectIdentifier(effect)] = nil
    }
  }
}
