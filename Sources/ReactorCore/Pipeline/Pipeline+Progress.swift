internal import ReactorStreams
internal import Synchronization

extension Pipeline: ProgressKeeper {
  /// How far the effects have come, from 0 to 1: the mean of those that tell it; `nil` where none
  /// does.
  package var effectProgress: Double? {
    progress.withLock { progress in
      progress.isEmpty ? nil : progress.values.reduce(0, +) / Double(progress.count)
    }
  }

  func effect(_ effect: EffectContext, reached fraction: Double) {
    let isNews = progress.withLock { progress in
      guard !effect.isOver else { return false }
      return progress.updateValue(fraction, forKey: ObjectIdentifier(effect)) != fraction
    }
    // One item in the mailbox stands for all that is told until its turn, after which whoever
    // follows the pipeline looks.
    guard isNews, !progressIsNews.exchange(true, ordering: .acquiringAndReleasing) else { return }
    perform { [self] in progressIsNews.store(false, ordering: .releasing) }
  }

  func effectDidEnd(_ effect: EffectContext) {
    progress.withLock { progress in
      effect.end()
      progress[ObjectIdentifier(effect)] = nil
    }
  }
}
