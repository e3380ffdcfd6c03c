internal import ReactorCoding
internal import ReactorLog

/// A message of a SNAP stream: one line of JSON, then the State.
///
/// A stream keeps the latest four of each session; a record names those before it.
struct SnapshotRecord: Equatable, Sendable {
  /// The number of snapshots that are retained per session.
  static let retained = 4

  /// An earlier snapshot of the same history.
  struct Earlier: Equatable, Sendable {
    let version: Int
    let sequence: Int
    let schema: String
  }

  let epoch: String
  let snapshot: Snapshot
  /// The snapshots before this one, the latest first.
  let earlier: [Earlier]

  init(epoch: String, snapshot: Snapshot, earlier: [Earlier]) {
    self.epoch = epoch
    self.snapshot = snapshot
    self.earlier = earlier
  }

  // `f` format · `e` epoch · `v` version · `h` schema · `q` version, sequence and schema of earlier ones
  var payload: [UInt8] {
    var text: [UInt8] = []
    text.put("{\"f\":1,\"e\":")
    text.put(string: epoch)
    text.put(",\"v\":")
    text.put(snapshot.version)
    text.put(",\"h\":")
    text.put(string: snapshot.schema)
    text.put(",\"q\":")
    text.put(list: earlier) { text, earlier in
      text.put("[")
      text.put(earlier.version)
      text.put(",")
      text.put(earlier.sequence)
      text.put(",")
      text.put(string: earlier.schema)
      text.put("]")
    }
    text.put("}\n")
    return text + snapshot.state
  }

  /// Reads a payload; `nil` for one of another format.
  init?(_ payload: [UInt8]) {
    guard let end = payload.firstIndex(of: UInt8(ascii: "\n")),
      let root = try? JSONDocument(parsing: Array(payload[..<end])).root,
      root["f"]?.integer() == 1, let epoch = root["e"]?.string,
      let version: Int = root["v"]?.integer(), let schema = root["h"]?.string
    else { return nil }
    self.epoch = epoch
    snapshot = Snapshot(version: version, state: Array(payload[(end + 1)...]), schema: schema)
    earlier = (root["q"]?.elements ?? []).compactMap { element in
      guard let version: Int = element[0]?.integer(), let sequence: Int = element[1]?.integer(),
        let schema = element[2]?.string
      else { return nil }
      return Earlier(version: version, sequence: sequence, schema: schema)
    }
  }
}
