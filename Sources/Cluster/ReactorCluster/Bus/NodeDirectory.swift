package import ReactorLog

/// The present processes of a cluster and their addresses, as the store knows them.
///
/// All members can be called on any thread, do not block, and read memory only.
package protocol NodeDirectory: AnyObject, Sendable {
  /// Returns the address of a process: `HOST:PORT`, or `nil` for a process that the store does not have.
  func address(of node: NodeID) -> String?

  /// The present processes without this one, in the order of their names, with their addresses, `HOST:PORT`.
  ///
  /// Several incarnations of a name are present until the store removes those that have ended.
  var others: [PresentNode] { get }

  /// Whether the store has confirmed the presence of this process within the last two seconds.
  ///
  /// A process that cannot reach the store must serve nothing from memory.
  var isConfirmed: Bool { get }

  /// Announces this process, or another incarnation of it, at an address.
  ///
  /// The other processes see it after their next read of the store.
  ///
  /// - Parameters:
  ///   - node: The name and the incarnation of this process.
  ///   - address: The address of the listening socket for other nodes, `HOST:PORT`.
  func announce(_ node: NodeID, at address: String)

  /// Removes this process from the store; blocks for at most one second.
  func withdraw()

  /// Reads the store again soon: a process at an address could not be reached, or an unknown one has connected.
  func refresh()
}

/// A process of a cluster with its address.
package struct PresentNode: Hashable, Sendable {
  /// The process.
  package let node: NodeID

  /// The address of its listening socket for other nodes: `HOST:PORT`.
  package let address: String

  /// Creates a process with an address.
  package init(_ node: NodeID, at address: String) {
    self.node = node
    self.address = address
  }
}
