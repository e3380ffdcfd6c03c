internal import ReactorLog

/// A search for the outcomes of idempotency keys, from the latest message on.
///
/// If a request is repeated because its owner has failed, its outcome is one of the latest, or
/// there is none. So the first step reads few messages, and each further step reads twice as many.
///
/// ```
/// messages of the log, from the last one on ──▶ pages, from the last one on ──▶ complete
///                 └── all outcomes found, the bound reached, or the rest too old ──▶ complete
/// ```
///
/// Pure: ``HistoryReader/proceed(_:since:)`` reads.
struct OutcomeSearch: Equatable, Sendable {
  /// The number of messages of the first step.
  static let firstStep = 4

  private enum Phase { case log, pages, complete }

  /// The end of the log.
  let head: SessionHead
  /// The outcomes by the names of their keys.
  private(set) var byName: [String: StoredOutcome] = [:]
  private var phase = Phase.log
  private var nodes: [HistoryIndex.Node]
  private var step: Int
  /// The number of outcomes that the rest of the history has at most.
  private var remaining: Int
  private let bound: Int

  /// Begins a search.
  ///
  /// - Parameters:
  ///   - head: The end of the log.
  ///   - bound: The maximum number of outcomes.
  ///   - step: The number of messages of the first step.
  init(of head: SessionHead, bound: Int, firstStep step: Int = OutcomeSearch.firstStep) {
    (self.head, self.bound, self.step) = (head, bound, step)
    nodes = head.index.nodes
    remaining = head.keyed
    if head.status != .stored || remaining <= 0 { phase = .complete }
  }

  /// Whether there are no further outcomes to read.
  var isComplete: Bool { phase == .complete }

  /// Whether the next step reads pages.
  var readsPages: Bool { phase == .pages }

  /// Removes the messages, or the blocks of messages, that the next step reads; none at the end of the log or
  /// of the pages.
  mutating func takeNext() -> [HistoryIndex.Node] {
    guard let last = nodes.last else { return [] }
    let isBlock = last.level > 0
    let part = Array(
      nodes.suffix(step).reversed().prefix { ($0.level > 0) == isBlock }.reversed())
    nodes.removeLast(part.count)
    return part
  }

  /// Adds the messages of the blocks that were taken.
  mutating func expand(into messages: [HistoryIndex.Node]) { nodes += messages }

  /// Adds the outcomes of the messages that were taken.
  ///
  /// - Parameters:
  ///   - messages: The messages, in the order of the log.
  ///   - oldest: The time before which outcomes are not retained, in milliseconds.
  mutating func add(_ messages: [some HistoryMessage], since oldest: Int64) {
    step = min(2 * step, StreamReader.parallel)
    for message in messages.reversed() where !isComplete { add(message, since: oldest) }
  }

  private mutating func add(_ message: some HistoryMessage, since oldest: Int64) {
    remaining -= message.outcomes.count
    for outcome in message.outcomes.reversed() where byName[outcome.key.name] == nil {
      byName[outcome.key.name] = outcome
    }
    // A page without outcomes also ends the search, if its last entry is too old: a long history
    // has many pages. The number of messages that are not in pages yet is bounded.
    let last = message.outcomes.last?.at ?? (message is Page ? message.entries.last?.at : nil)
    let isTooOld = last.map { $0.milliseconds < oldest } ?? false
    if isTooOld || remaining <= 0 || byName.count >= bound { phase = .complete }
  }

  /// There are no messages left: the pages follow.
  mutating func didReadLog(pages: [HistoryIndex.Node]) {
    (phase, nodes) = (.pages, pages)
  }

  /// There are no pages left, or none at all.
  mutating func end() { phase = .complete }
}
