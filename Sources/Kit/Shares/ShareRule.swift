/// The rule by which clients share the places of a table.
///
/// While at most half of the places are in use, each client gets all that it requests. Beyond that a client gets a
/// further place only if it then has no more than remain free for the others: the largest client is rejected
/// first, and a client that is rejected has more than each one that is not. The last sixteenth of the places is
/// for first places, so that a new client gets one beside any number of greedy ones.
///
/// Pure, and decided from three numbers: no list of clients is searched.
public enum ShareRule {
  /// Returns whether a client may have its places.
  ///
  /// - Parameters:
  ///   - held: The places of the client, with those that it requests.
  ///   - used: The places of all clients, with those that it requests.
  ///   - capacity: The places of the table.
  ///   - first: The places that each client gets as long as the table has any.
  /// - Returns: Whether the request is granted.
  @inlinable
  public static func admits(held: Int, used: Int, of capacity: Int, first: Int = 1) -> Bool {
    if used <= capacity / 2 { return true }
    if held <= first { return used <= capacity }
    return held <= capacity - capacity / 16 - used
  }
}
