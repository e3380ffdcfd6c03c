/// Identifies an effect, uniquely across processes.
@usableFromInline
package struct EffectID: Hashable, Comparable, Sendable, LosslessStringConvertible {
  /// Distinguishes the effects of this process from those of others.
  private static let process = String(UInt64.random(in: .min ... .max), radix: 36)

  private let started: CancellationMoment

  init(started: CancellationMoment) {
    self.started = started
  }

  /// Parses a ``description`` of this process, or returns `nil` for any other text.
  @usableFromInline
  package init?(_ description: String) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == Self.process, let number = UInt64(parts[1]) else {
      return nil
    }
    started = CancellationMoment(number: number)
  }

  /// The identifier, as text for clients.
  @usableFromInline
  package var description: String {
    "\(Self.process)-\(started.number)"
  }

  /// Orders effects by their start.
  @usableFromInline
  package static func < (lhs: EffectID, rhs: EffectID) -> Bool {
    lhs.started < rhs.started
  }
}
