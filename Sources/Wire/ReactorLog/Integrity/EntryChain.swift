/// The checksums of a session's log, each computed with the previous one as its key.
///
/// A changed entry does not match its checksum. If an entry was removed or exchanged, the entry
/// after it does not match. The chain begins with the name of the history, so that an exchange of
/// entries between two sessions is detected. The checksums detect damage, not an attack: a program
/// that can write to the store can compute the same function. The removal of the latest entries is
/// not detected, except below the version of a snapshot.
///
/// ```
/// checksum(0) = SipHash-2-4(key: (0, domain), epoch)
/// checksum(n) = SipHash-2-4(key: (checksum(n - 1), domain), version, at, fields…)
/// ```
///
/// A field is its tag, its length and its bytes; fields without a value are omitted. A field that a
/// later release adds therefore changes no checksum of an entry without it.
///
/// Entries of releases before version 3 of the tables have no checksum. The first entry after them
/// is chained to the checksum of version 0.
package enum EntryChain {
  // Never change or reuse a tag. The tags 6 to 15 are reserved for future fields of entries.
  private enum Tag: UInt8 {
    case mutation = 1
    case action = 2
    case global = 3
    case revision = 4
    case by = 5
    case state = 16
    case schema = 17
  }

  private static let entryDomain: UInt64 = 0x7265_6163_746f_7264  // "reactord"
  private static let snapshotDomain: UInt64 = 0x736e_6170_7368_6f74  // "snapshot"

  /// The checksum of version 0.
  ///
  /// - Parameter epoch: The name of the history; for a fork, that of the original.
  /// - Returns: The checksum.
  package static func seed(_ epoch: String) -> UInt64 {
    var hash = SipHash(0, entryDomain)
    hash.append(epoch.utf8)
    return hash.finish()
  }

  /// The checksum of an entry that follows another one.
  package static func checksum(of entry: LogEntry, after previous: UInt64) -> UInt64 {
    var hash = SipHash(previous, entryDomain)
    hash.append(UInt64(bitPattern: Int64(entry.version)))
    hash.append(UInt64(bitPattern: entry.at.milliseconds))
    append(.mutation, entry.mutation, to: &hash)
    if let action = entry.action { append(.action, action, to: &hash) }
    if let global = entry.global {
      append(.global, global.name.utf8, to: &hash)
      hash.append(Tag.revision.rawValue)
      hash.append(global.revision)
    }
    if let by = entry.by { append(.by, by.utf8, to: &hash) }
    return hash.finish()
  }

  /// The checksum of a snapshot.
  ///
  /// - Parameters:
  ///   - snapshot: The snapshot.
  ///   - chain: The checksum of the entry of the same version.
  /// - Returns: The checksum.
  package static func checksum(of snapshot: Snapshot, at chain: UInt64) -> UInt64 {
    var hash = SipHash(chain, snapshotDomain)
    hash.append(UInt64(bitPattern: Int64(snapshot.version)))
    append(.state, snapshot.state, to: &hash)
    append(.schema, snapshot.schema.utf8, to: &hash)
    return hash.finish()
  }

  /// The checksum of an entry that is chained to none, because several processes write the log.
  ///
  /// An entry that was removed is a gap in the versions. A copy for another history needs the exclusive or of
  /// both seeds.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - seed: The checksum of version 0 of its history.
  /// - Returns: The checksum.
  package static func checksum(of entry: LogEntry, in seed: UInt64) -> UInt64 {
    checksum(of: entry, after: 0) ^ seed
  }

  /// The checksum of a snapshot of a log whose entries are not chained.
  package static func checksum(of snapshot: Snapshot, in seed: UInt64) -> UInt64 {
    checksum(of: snapshot, at: 0) ^ seed
  }

  private static func append(_ tag: Tag, _ bytes: some Collection<UInt8>, to hash: inout SipHash) {
    hash.append(tag.rawValue)
    hash.append(UInt64(bytes.count))
    hash.append(bytes)
  }
}
