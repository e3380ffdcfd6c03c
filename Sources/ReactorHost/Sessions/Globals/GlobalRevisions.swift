internal import Synchronization

/// The latest revision of each global that a session has a mutation of.
struct GlobalRevisions: ~Copyable, Sendable {
  private let revisions: Mutex<[String: UInt64]>

  /// Creates the revisions that the log has.
  init(_ stored: [String: UInt64]) {
    revisions = Mutex(stored)
  }

  /// The number of globals of which the session has a mutation.
  var count: Int { revisions.withLock { $0.count } }

  /// Records the revision of a global.
  ///
  /// - Parameters:
  ///   - revision: The revision.
  ///   - global: The name of the global.
  ///   - isNull: Whether its value is `null`, which a session without a mutation of the global has.
  /// - Returns: Whether the revision is new for the session.
  func add(_ revision: UInt64, of global: String, isNull: Bool) -> Bool {
    revisions.withLock { revisions in
      let isNew = revisions[global].map { $0 != revision } ?? !isNull
      if isNew { revisions[global] = revision }
      return isNew
    }
  }
}
