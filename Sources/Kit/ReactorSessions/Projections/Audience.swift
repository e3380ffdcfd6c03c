/// The clients that see the same of a State, such as the players of a seat, or none of it.
///
/// Clients with equal keys share each view: it is encoded once per commit for all of them.
public enum Audience<Key: Hashable & Sendable>: Hashable, Sendable {
  /// The client sees the view for a key.
  case sees(Key)

  /// The client sees nothing of the session.
  case nothing
}

/// The key of an ``Audience``, for code that does not know its type.
public struct AudienceKey: Hashable, Sendable {
  /// A key: within a struct, so that a key that is an optional is not unwrapped.
  private struct Box<Key: Hashable & Sendable>: Hashable, Sendable {
    let key: Key
  }

  private let box: any Hashable & Sendable

  /// Creates a key.
  public init<Key: Hashable & Sendable>(_ key: Key) {
    box = Box(key: key)
  }

  /// Returns the key, or `nil` if it is of another type.
  ///
  /// - Parameter type: The type of the key.
  /// - Returns: The key.
  public func value<Key: Hashable & Sendable>(as type: Key.Type) -> Key? {
    (box as? Box<Key>)?.key
  }

  /// Compares the keys; those of different types differ.
  public static func == (left: AudienceKey, right: AudienceKey) -> Bool {
    AnyHashable(left.box) == AnyHashable(right.box)
  }

  /// Hashes the key.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(AnyHashable(box))
  }
}
