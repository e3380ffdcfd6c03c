/// The last write of this node that the engine has confirmed.
///
/// A node that is cut off from the majority of the brokers cannot write. It serves reads from memory
/// until its proof is too old, and its effects end a little later.
public struct QuorumProof: Sendable {
  /// The time for which a confirmed write permits reads from memory: the longest election of a broker
  /// is 9 s, the interval of the writes 1 s, and 2 s are left for a slow reply.
  public static let validity: Milliseconds = 12_000

  /// The time after which the effects of this node's sessions end.
  public static let effectValidity: Milliseconds = 15_000

  /// The interval of the writes.
  public static let interval: Milliseconds = 1_000

  private var provenAt: Milliseconds?

  /// Creates a state without a proof.
  public init() {}

  /// Records a confirmed write.
  ///
  /// - Parameter start: The time at which the write began: the engine may have confirmed it that early.
  public mutating func confirm(writeBegunAt start: Milliseconds) {
    provenAt = max(provenAt ?? start, start)
  }

  /// Whether reads from memory are permitted.
  public func permitsReads(at now: Milliseconds) -> Bool {
    provenAt.map { now - $0 < Self.validity } ?? false
  }

  /// Whether effects are permitted to run.
  public func permitsEffects(at now: Milliseconds) -> Bool {
    provenAt.map { now - $0 < Self.effectValidity } ?? false
  }
}
