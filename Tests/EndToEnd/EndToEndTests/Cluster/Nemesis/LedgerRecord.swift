/// The responses to the numbered requests of one client.
struct LedgerRecord: Sendable {
  /// The numbers whose requests succeeded.
  var acknowledged: [Int] = []
  /// The numbers whose response was a 503 or 507 that states that nothing changed.
  var rejected: Set<Int> = []
  /// The numbers whose connection was lost, or whose response was a 503 with an unknown outcome.
  var undetermined: Set<Int> = []
}

/// The numbers of deviations from the contract.
///
/// All of them must be zero.
struct LedgerViolations: Equatable, Sendable, CustomStringConvertible {
  /// Acknowledged numbers that the log does not have.
  var lost = 0
  /// Numbers that the log has twice.
  var doubled = 0
  /// Numbers that the log has, although the response said that nothing changed.
  var rejectedAndStored = 0
  /// States, entries and events that are not in the order of the requests.
  var disordered = 0
  /// Nodes that disagree on a session.
  var different = 0
  /// Requests without a documented response.
  var undocumented = 0
  /// Requests with a key that never got a final response.
  var unresolved = 0

  var description: String {
    """
    acknowledged and lost \(lost), stored twice \(doubled), rejected and stored \(rejectedAndStored), \
    out of order \(disordered), different between nodes \(different), \
    undocumented responses \(undocumented), unresolved \(unresolved)
    """
  }
}
