internal import ReactorCoding
internal import ReactorLog

/// A message of a SNAP stream: one line of JSON, then the State.
///
/// A SNAP stream retains the latest four snapshots of each session, and a record names those before
/// it. One snapshot per ``milestoneInterval`` versions is also stored in a HIST stream, as a
/// milestone, so that an old version is folded from a snapshot that is not much older.
struct SnapshotRecord: Equatable, Sendable {
  /// The number of snapshots that are retained per session in a SNAP stream.
  static let retained = 4
  /// The minimum number of versions between two milestones.
  static let milestoneInterval = 2048

  /// An earlier snapshot of the same history.
  struct Earlier: Equatable, Sendable {
    let version: Int
    let sequence: Int
    let schema: String
  }

  /// The snapshots that a record names.
  struct Chain: Equatable, Sendable {
    /// The earlier snapshots in the SNAP stream, the latest first.
    var earlier: [Earlier] = []
    /// The milestones, and the version of the last of them.
    var milestones = HistoryIndex()
    var lastMilestone = 0
  }

  let epoch: String
  let snapshot: Snapshot
  let chain: Chain
  /// The time of the record, in milliseconds.
  let at: Int64
  /// The message before this one in the subject of milestones; 0 for none.
  var previous = 0

  init(epoch: String, snapshot: Snapshot, chain: Chain, at: Int64) {
    self.epoch = epoch
    self.snapshot = snapshot
    self.chain = chain
    self.at = at
  }

  // `f` format · `e` epoch · `v` version · `t` time · `h` schema · `q` version, sequence and schema of
  // earlier ones · `k` positions of milestones · `l` last milestone · `p` previous milestone
  var payload: [UInt8] {
    var text: [UInt8] = []
    text.put("{\"f\":1,\"e\":", string: epoch)
    text.put(",\"v\":", snapshot.version)
    text.put(",\"t\":", at)
    text.put(",\"h\":", string: snapshot.schema)
    text.put(",\"k\":")
    chain.milestones.put(into: &text)
    text.put(",\"l\":", chain.lastMilestone)
    text.put(",\"p\":", previous)
    text.put(",\"q\":")
    text.put(list: chain.earlier) { text, earlier in
      text.put("[", earlier.version)
      text.put(",", earlier.sequence)
      text.put(",", string: earlier.schema)
      text.put("]")
    }
    text.put("}\n")
    return text + snapshot.state
  }

  /// Reads a payload, or returns `nil` for one of another format.
  init?(_ payload: [UInt8]) {
    guard let end = payload.firstIndex(of: UInt8(ascii: "\n")),
      let root = try? JSONDocument(parsing: Array(payload[..<end])).root,
      root["f"]?.integer() == 1, let epoch = root["e"]?.string,
      let version: Int = root["v"]?.integer(), let schema = root["h"]?.string,
      let milestones = HistoryIndex(root["k"])
    else { return nil }
    let lastMilestone = root["l"]?.integer() ?? 0
    guard StoredValues.areCounts(version, lastMilestone) else { return nil }
    self.epoch = epoch
    snapshot = Snapshot(version: version, state: Array(payload[(end + 1)...]), schema: schema)
    at = root["t"]?.integer(as: Int64.self) ?? 0
    previous = root["p"]?.integer() ?? 0
    let earlier: [Earlier] = (root["q"]?.elements ?? []).compactMap { element in
      guard let version: Int = element[0]?.integer(), let sequence: Int = element[1]?.integer(),
        let schema = element[2]?.string
      else { return nil }
      return Earlier(version: version, sequence: sequence, schema: schema)
    }
    chain = Chain(
      earlier: earlier, milestones: milestones, lastMilestone: lastMilestone)
  }
}
