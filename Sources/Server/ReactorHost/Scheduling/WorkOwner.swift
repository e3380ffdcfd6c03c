package import Shares

/// A client whose work takes turns with that of others.
///
/// Two clients with the same 64-bit hash count as one.
package struct WorkOwner: Sendable {
  private let id: Int

  /// The account of the client, or `nil` for work of no client.
  package let account: Account?

  /// Creates the owner that a value names: an address, a session.
  package init(_ value: some Hashable) {
    id = value.hashValue
    account = nil
  }

  /// Creates the owner of the work of a client.
  package init(_ account: Account) {
    id = account.client.hashValue
    self.account = account
  }

  /// The work of no client.
  package static let none = WorkOwner(0)

  /// The owner of the job that this thread executes; work that continues the job later is enqueued for
  /// the same owner.
  @TaskLocal package static var current = WorkOwner.none
}

extension WorkOwner: Hashable {
  package static func == (left: WorkOwner, right: WorkOwner) -> Bool { left.id == right.id }

  package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
