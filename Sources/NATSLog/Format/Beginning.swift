internal import ReactorCoding
internal import ReactorLog

/// The part of a history before the message that begins its index: its pages, and pages to delete.
///
/// Only messages that begin an index have it: the first one of a history, and anchors.
struct Beginning: Equatable, Sendable {
  /// The pages of the history, up to the version before the message.
  var pages = HistoryIndex()
  /// The version before the first retained entry, and the sequence of the milestone at that
  /// version, which replaces the deleted entries; 0 if none were deleted.
  var floor = 0
  var snapshot = 0
  /// The keys of the outcomes in the pages, or `nil` if they are not known.
  var keys: PagedKeys? = PagedKeys()
  /// Pages that belong to no history any more, with those that they lead to.
  var dropped: [HistoryIndex.Node] = []

  /// Whether it equals the beginning of a new history.
  var isEmpty: Bool { self == Beginning() }

  /// The latest page that is named; 0 for none.
  var newest: Int {
    (pages.nodes + dropped).map(\.position.sequence).max() ?? 0
  }

  /// The beginning after the end of the session: all pages are to be deleted.
  var ended: Beginning { Beginning(dropped: dropped + pages.nodes) }

  // `p` pages · `n` floor and its snapshot · `k` keys · `d` level, version and sequence of what is to be deleted
  func put(into text: inout [UInt8]) {
    text.put("{\"p\":")
    pages.put(into: &text)
    text.put(",\"n\":")
    text.put(list: [floor, snapshot]) { $0.put($1) }
    if let keys {
      text.put(",\"k\":")
      keys.put(into: &text)
    }
    text.put(",\"d\":")
    text.put(list: dropped) { text, node in
      text.put(list: [node.level, node.position.version, node.position.sequence]) { $0.put($1) }
    }
    text.put("}")
  }

  /// Reads the output of ``put(into:)``, or returns `nil` for anything else.
  init?(_ json: JSONElement) {
    guard let pages = HistoryIndex(json["p"]), let floor: Int = json["n"]?[0]?.integer(),
      let snapshot: Int = json["n"]?[1]?.integer(), StoredValues.areCounts(floor, snapshot)
    else { return nil }
    self.pages = pages
    self.floor = floor
    self.snapshot = snapshot
    // Messages of earlier releases have no keys.
    keys = json["k"].flatMap { PagedKeys($0) }
    for element in json["d"]?.elements ?? [] {
      guard let level: Int = element[0]?.integer(), let version: Int = element[1]?.integer(),
        let sequence: Int = element[2]?.integer(), StoredValues.areCounts(level, version, sequence)
      else { return nil }
      dropped.append(
        HistoryIndex.Node(
          level: level,
          position: HistoryIndex.Position(version: version, sequence: sequence)))
    }
  }

  init(dropped: [HistoryIndex.Node] = []) {
    self.dropped = dropped
  }
}
