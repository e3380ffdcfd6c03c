/// Names an effect that runs: never another one later, be it in another process.
package struct EffectID: Hashable, Comparable, Sendable, LosslessStringConvertible {
  /// Tells the effects of this process from those of all others.
  private static let process = String(UInt64.random(in: .min ... .max), radix: 36)

  private let started: CancellationMoment

  init(started: CancellationMoment) {
    self.started = started
  }

  /// Reads what ``description`` has written in this process; `nil` for anything else.
  package init?(_ description: String) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == Self.process, let number = UInt64(parts[1]) else {
      return nil
    }
    started = CancellationMoment(number: number)
  }

  /// The name for clients.
  package var description: String {
    "\(Self.process)-\(started.number)"
  }

  /// Whether one was started before another one.
  package static func < (lhs: EffectID, rhs: EffectID) -> Bool {
    lhs.started < rhs.started
  }
}
