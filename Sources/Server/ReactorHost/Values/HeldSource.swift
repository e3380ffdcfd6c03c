package import Shares

/// A source whose State is counted for a client.
package protocol HeldSource {
  /// The account that has the source in memory, or `nil` for none.
  var account: Account? { get }
}
