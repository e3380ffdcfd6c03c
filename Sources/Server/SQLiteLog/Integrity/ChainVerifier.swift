internal import ReactorLog

/// A row of the log with the values that its verification needs.
struct StoredEntry {
  /// The columns that ``init(row:)`` expects, as SQL over the tables `sessions` and `mutations`.
  ///
  /// - Parameter after: An SQL expression of a version; only the entry after this version has an
  ///   anchor.
  /// - Returns: The list of columns.
  static func columns(anchoredAt after: String) -> String {
    """
    version, at, action, global, revision, mutation, principal, mutations.checksum,
      coalesce(origin, epoch),
      CASE WHEN version = \(after) + 1 THEN
        (SELECT chain FROM snapshots WHERE snapshots.session = id AND snapshots.version = \(after))
      END
    """
  }

  typealias Row = (
    Int, Timestamp, [UInt8]?, String?, UInt64?, [UInt8], String?, UInt64?, String, UInt64?
  )

  let entry: LogEntry
  /// The checksum of the entry, or `nil` for an entry of an early release.
  let checksum: UInt64?
  /// The epoch that the chain begins with.
  let origin: String
  /// The checksum of the previous entry, from a snapshot of its version, or `nil` without a snapshot.
  let anchor: UInt64?

  /// Creates an entry from the columns of a row.
  init(row: Row) {
    let (version, at, action, global, revision, mutation, by, checksum, origin, anchor) = row
    entry = LogEntry(
      version: version, at: at, action: action,
      global: global.map { LogEntry.GlobalMark(name: $0, revision: revision ?? 0) },
      mutation: mutation, by: by)
    self.checksum = checksum
    self.origin = origin
    self.anchor = anchor
  }
}

/// Verifies consecutive entries of one session.
struct ChainVerifier {
  private var previous: (version: Int, checksum: UInt64?)?

  /// Verifies the next entry.
  ///
  /// The first entry is only verified if the checksum before it is known: if it is version 1, or if
  /// there is a snapshot of the version before it.
  ///
  /// - Returns: The damage, or `nil` for none.
  mutating func verify(_ row: StoredEntry) -> String? {
    let version = row.entry.version
    let before = previous
    previous = (version, row.checksum)
    guard StoredValues.areCounts(version), StoredValues.areTimes(row.entry.at) else {
      return "version \(version) has an invalid value"
    }
    if let before, version != before.version + 1 {
      return "version \(before.version + 1) is missing"
    }
    guard let checksum = row.checksum else {
      return before?.checksum == nil ? nil : "version \(version) has no checksum"
    }
    let chain: UInt64
    if let known = before?.checksum ?? row.anchor {
      chain = known
    } else if before != nil || version == 1 {
      chain = EntryChain.seed(row.origin)
    } else {
      return nil
    }
    guard checksum != EntryChain.checksum(of: row.entry, after: chain) else { return nil }
    // Earlier releases began a new chain at the first entry of a fork that consists of a snapshot.
    if before == nil, row.anchor != nil,
      checksum == EntryChain.checksum(of: row.entry, after: EntryChain.seed(row.origin))
    {
      return nil
    }
    return "version \(version) does not match its checksum"
  }
}
