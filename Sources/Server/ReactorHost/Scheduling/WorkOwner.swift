/// A client whose work takes turns with that of others.
///
/// Two clients with the same 64-bit hash count as one.
package struct WorkOwner: Hashable, Sendable {
  private let id: Int

  /// Creates the owner that a value names: an address, a session.
  package init(_ value: some Hashable) {
    id = value.hashValue
  }

  /// The work of no client.
  package static let none = WorkOwner(0)

  /// The owner of the job that this thread executes; work that continues the job later is enqueued for
  /// the same owner.
  @TaskLocal package static var current = WorkOwner.none
}
