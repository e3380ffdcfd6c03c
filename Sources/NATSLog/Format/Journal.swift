internal import ReactorLog

/// The small parts of a session beside its State: unfinished actions, timers, revisions of globals.
///
/// A message that is a base contains all of it; other messages contain the changes since then.
struct Journal: Equatable, Sendable {
  private(set) var accepted: [AcceptedAction.ID: AcceptedAction] = [:]
  private(set) var timers: [String: StoredTimer] = [:]
  private(set) var globals: [String: UInt64] = [:]

  /// The approximate size of its JSON, in bytes.
  private(set) var size = 0

  var isEmpty: Bool { accepted.isEmpty && timers.isEmpty && globals.isEmpty }

  /// Applies the changes of a batch.
  mutating func apply(_ batch: LogBatch) {
    for entry in batch.entries {
      if let global = entry.global { set(global.name, global.revision) }
    }
    for action in batch.accepted { set(action.id, action) }
    for id in batch.finished { set(id, nil) }
    for change in batch.timers { set(change.id, change.timer) }
  }

  /// Applies the revisions of entries up to a version.
  mutating func applyGlobals(of entries: [LogEntry], upTo version: Int) {
    for entry in entries where entry.version <= version {
      if let global = entry.global { set(global.name, global.revision) }
    }
  }

  mutating func set(_ global: String, _ revision: UInt64) {
    if globals.updateValue(revision, forKey: global) == nil { size += 32 + global.utf8.count }
  }

  /// Sets or removes an unfinished action.
  mutating func set(_ id: AcceptedAction.ID, _ action: AcceptedAction?) {
    if let old = accepted[id] { size -= old.approximateSize }
    if let action { size += action.approximateSize }
    accepted[id] = action
  }

  /// Sets or removes a timer.
  mutating func set(_ id: String, _ timer: StoredTimer?) {
    if let old = timers[id] { size -= old.approximateSize }
    if let timer { size += timer.approximateSize }
    timers[id] = timer
  }

  /// A journal with the revisions of globals alone.
  var globalsOnly: Journal {
    var journal = Journal()
    for (name, revision) in globals { journal.set(name, revision) }
    return journal
  }

  /// The unfinished actions in the order of their ids.
  var acceptedActions: [AcceptedAction] {
    accepted.values.sorted { ($0.id.request, $0.id.place) < ($1.id.request, $1.id.place) }
  }
}

extension AcceptedAction {
  fileprivate var approximateSize: Int {
    var size = 96 + action.count + (principal?.count ?? 0) + (sendName?.utf8.count ?? 0)
    if let key { size += 80 + key.name.utf8.count }
    return size
  }
}

extension StoredTimer {
  fileprivate var approximateSize: Int { 64 + id.utf8.count + action.count }
}

extension LogBatch {
  /// The approximate size of what the batch adds to the journal or replaces in it, in bytes.
  var addedSize: Int {
    accepted.reduce(0) { $0 + $1.approximateSize }
      + timers.reduce(0) { $0 + ($1.timer?.approximateSize ?? 0) }
  }

  /// The approximate size of the JSON of all changes, in bytes.
  var approximateSize: Int {
    let size = addedSize + 32 * finished.count + 64 * timers.count + 512 * outcomes.count
    return entries.reduce(size) { $0 + 256 + $1.mutation.count + ($1.action?.count ?? 0) }
  }

  /// The approximate size of the batch's changes to the journal, in bytes.
  var journalSize: Int {
    var journal = Journal()
    for action in accepted { journal.set(action.id, action) }
    for change in timers { journal.set(change.id, change.timer) }
    return journal.size + 16 * (finished.count + timers.count)
  }
}
