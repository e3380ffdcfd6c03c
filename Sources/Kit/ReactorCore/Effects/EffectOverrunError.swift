/// The error of an effect that was ended because it emitted mutations faster than they could be
/// folded.
public struct EffectOverrunError: Error, CustomStringConvertible {
  /// The maximum number of pending mutations per effect.
  public static let limit = 65_536

  /// The cause and how to resolve it.
  public var description: String {
    """
    The effect emitted more than \(Self.limit) mutations ahead of the session. \
    Emit fewer, or wait between them.
    """
  }
}
