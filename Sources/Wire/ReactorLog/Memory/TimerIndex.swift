/// The timers of all sessions in memory, in the order in which they are due.
///
/// A sorted array in chunks: an insertion and a removal search a logarithmic number of timers, and
/// move the timers of one chunk.
struct TimerIndex: Sendable {
  /// A chunk is split when it exceeds this number of timers.
  private static let chunkBound = 512

  /// Sorted by position; no chunk is empty.
  private var chunks: [[DueTimer]] = []

  /// The number of timers.
  private(set) var count = 0

  /// Creates an empty index.
  init() {}

  /// Inserts a timer, which must not be in the index.
  mutating func insert(_ timer: DueTimer) {
    count += 1
    guard !chunks.isEmpty else { return chunks.append([timer]) }
    let chunk = min(firstChunk(after: timer.position), chunks.count - 1)
    chunks[chunk].insert(timer, at: Self.index(after: timer.position, in: chunks[chunk]))
    guard chunks[chunk].count > Self.chunkBound else { return }
    let half = chunks[chunk].count / 2
    let rest = Array(chunks[chunk][half...])
    chunks[chunk].removeSubrange(half...)
    chunks.insert(rest, at: chunk + 1)
  }

  /// Removes the timer at a position, if there is one.
  mutating func remove(at position: TimerPosition) {
    let chunk = Self.partition(chunks) { ($0.last?.position).map { $0 >= position } ?? false }
    guard chunk < chunks.count else { return }
    let index = Self.partition(chunks[chunk]) { $0.position >= position }
    guard chunks[chunk][index].position == position else { return }
    count -= 1
    chunks[chunk].remove(at: index)
    if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
  }

  /// Returns the timers after a position that are due until a time, at most `limit`.
  func due(after position: TimerPosition?, until time: Timestamp, limit: Int) -> DueTimers {
    var chunk = position.map { firstChunk(after: $0) } ?? 0
    guard chunk < chunks.count else { return .none }
    var index = position.map { Self.index(after: $0, in: chunks[chunk]) } ?? 0
    var timers: [DueTimer] = []
    while chunk < chunks.count {
      while index < chunks[chunk].count {
        let timer = chunks[chunk][index]
        guard timer.position.due.milliseconds <= time.milliseconds else {
          return DueTimers(timers, next: timers.count < limit ? timer.position.due : nil)
        }
        guard timers.count < limit else { return DueTimers(timers, next: nil) }
        timers.append(timer)
        index += 1
      }
      (chunk, index) = (chunk + 1, 0)
    }
    return DueTimers(timers, next: nil)
  }

  private func firstChunk(after position: TimerPosition) -> Int {
    Self.partition(chunks) { ($0.last?.position).map { $0 > position } ?? false }
  }

  private static func index(after position: TimerPosition, in chunk: [DueTimer]) -> Int {
    partition(chunk) { $0.position > position }
  }

  /// Returns the index of the first element that satisfies a predicate, which all later elements
  /// satisfy as well.
  private static func partition<Element>(
    _ elements: [Element], where isInSecond: (Element) -> Bool
  ) -> Int {
    var (low, high) = (0, elements.count)
    while low < high {
      let middle = low + (high - low) / 2
      if isInSecond(elements[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
