internal import ReactorLog

/// Assigns each session to a virtual shard, with which the keys of all tables begin.
///
/// The number of shards and the hash are fixed forever: they are stored in each row.
struct ShardMap: Sendable {
  /// The number of virtual shards.
  static let count = 1024

  /// The shard of the rows that belong to no session: globals, changes, writers.
  static let common: Int16 = 0

  /// The number of databases; a store of this release has one.
  var databases = 1

  /// The shard of a session.
  func shard(of key: SessionKey) -> Int16 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325  // FNV-1a
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    for byte in key.reactor.utf8 { add(byte) }
    add(UInt8(ascii: "/"))
    for byte in key.id.utf8 { add(byte) }
    return Int16((hash ^ hash >> 32) % UInt64(Self.count))
  }

  /// The index of the database that has a shard: each has consecutive ones.
  func database(of shard: Int16) -> Int { Int(shard) * databases / Self.count }
}
