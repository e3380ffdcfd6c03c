internal import ReactorLog
internal import Synchronization
internal import SystemThreads
internal import Telemetry

/// Creates the records of the FEED stream from the messages of the LOG streams and of META.
final class FeedWriter: Sendable {
  /// The maximum number of messages of a stream in one record.
  private static let messages = 64
  /// The time between two checks for expired records, in milliseconds.
  private static let expiryInterval: Int64 = 60_000

  private let store: NATSStore
  private let reader: FeedReader
  /// How long changes are retained, in milliseconds.
  private let retention: Int64
  private let lookedAt = Atomic<Int64>(.min)

  init(_ store: NATSStore, _ reader: FeedReader, retention: Int64) {
    self.store = store
    self.reader = reader
    self.retention = retention
  }

  /// The streams that are read: the LOG streams, then META.
  private var streams: [String] {
    (0..<store.names.logStreams).map { store.names.log($0) } + [store.names.meta]
  }

  // MARK: Begin

  /// Returns the last record of the feed, or the first record of a new feed.
  ///
  /// A new feed begins if there is no record, or if messages of a LOG stream after the last record
  /// were deleted before they were read, so that the feed would have a gap, or if the last record is
  /// damaged and has the positions of other streams.
  func begin() async throws(LogError) -> FeedReader.Positioned {
    while true {
      let bounds = try await bounds()
      let last = try await reader.last()
      if let last, last.record.positions.count == bounds.count,
        zip(last.record.positions, bounds.dropLast()).allSatisfy({ $1.first <= $0 + 1 })
      {
        return last
      }
      var record = FeedRecord(
        store: Epoch.random(), at: Timestamp.now.milliseconds, positions: bounds.map(\.last))
      if let last {
        record.number = last.record.lastNumber
        record.index = Self.index(after: last)
      }
      record.began = record.number
      do throws(LogError) {
        return (try await append(record, after: last?.sequence ?? 0), record)
      } catch {
        // Another process begins the feed.
        guard case .lost = error else { throw error }
      }
    }
  }

  private static func index(after last: FeedReader.Positioned) -> HistoryIndex {
    var index = last.record.index
    index.append(
      HistoryIndex.Position(version: last.record.number, sequence: last.sequence))
    return index
  }

  private func bounds() async throws(LogError) -> [StreamBounds] {
    let reader = store.reader
    return try await Concurrently.values(streams) { stream async throws(LogError) in
      try await reader.bounds(of: stream)
    }
  }

  // MARK: Records

  /// Changes of one message, with the time at which the stream stored it.
  private struct Found: Sendable {
    let stream: Int
    let sequence: Int
    let time: String
    let changes: [StoreChange]
  }

  /// Returns the record after the last one, or `nil` if nothing was committed since.
  ///
  /// The ends of the streams are read twice. A message that was committed before the first ends are
  /// known is before the second ends, in every stream. Messages that are later than all of these
  /// belong to a later record, so that the changes of different streams are in the order of their
  /// times.
  func next(after last: FeedReader.Positioned) async throws(LogError) -> FeedRecord? {
    let early = try await bounds()
    let positions = last.record.positions
    guard positions.count == early.count else {
      throw .corrupt("The record \(last.sequence) of the feed has the positions of other streams.")
    }
    guard zip(positions, early).contains(where: { $1.last > $0 }) else { return nil }
    let bounds = try await bounds()
    let ends = zip(positions, bounds).map { min($1.last, $0 + Self.messages) }
    let found = try await Concurrently.values(ends.indices) {
      [self] stream async throws(LogError) in
      stream == ends.count - 1
        ? try await globals(after: positions[stream], upTo: bounds[stream].last)
        : try await changes(of: stream, after: positions[stream], upTo: ends[stream])
    }
    let horizon = Self.horizon(of: found, early)
    var record = FeedRecord(
      store: last.record.store, at: Timestamp.now.milliseconds, positions: positions)
    record.began = last.record.began
    record.number = last.record.lastNumber
    record.index = Self.index(after: last)
    var accepted: [Found] = []
    for stream in found.indices {
      let part = found[stream].prefix { $0.time <= horizon }
      accepted += part
      if part.count < found[stream].count {
        record.positions[stream] = part.last?.sequence ?? positions[stream]
      } else if stream < ends.count - 1 {
        record.positions[stream] = ends[stream]
      } else {
        // META also has messages that are not globals: without further globals, all of it was read.
        record.positions[stream] =
          part.count < Self.messages ? bounds[stream].last : part.last?.sequence ?? 0
      }
    }
    // Times do not decrease within a stream: its changes remain in the order of their sequences.
    accepted.sort { ($0.time, $0.stream, $0.sequence) < ($1.time, $1.stream, $1.sequence) }
    for change in accepted.flatMap(\.changes) {
      record.changes.append(change.numbered(record.lastNumber + 1))
    }
    return record
  }

  /// The time of the last message that belongs to the record.
  private static func horizon(of found: [[Found]], _ early: [StreamBounds]) -> String {
    let latest = zip(found, early).compactMap { messages, bounds in
      messages.last { $0.sequence <= bounds.last }?.time
    }.max()
    // If a stream has more messages than fit, the record ends with the last one that fits, so that
    // later changes of other streams do not precede the rest.
    let full = found.compactMap { $0.count >= Self.messages ? $0.last?.time : nil }.min()
    guard let latest else { return "" }
    return min(latest, full ?? latest)
  }

  /// The messages of a LOG stream, also those without changes.
  private func changes(
    of stream: Int, after position: Int, upTo end: Int
  ) async throws(LogError) -> [Found] {
    guard position < end else { return [] }
    let messages = try await store.reader.messages(
      at: Array(position + 1...end), in: store.names.log(stream))
    var found: [Found] = []
    for message in messages {
      guard let message else { continue }
      guard let key = StoreNames.session(of: message.subject), let expected = message.expected,
        let decoded = LogMessage(message.payload, expecting: expected)
      else {
        throw .corrupt("The message \(message.sequence) of \(message.subject) cannot be read.")
      }
      // Times must not decrease: the clock of a new leader can be behind that of the previous one.
      let time = max(message.orderedTime, found.last?.time ?? "")
      found.append(
        Found(
          stream: stream, sequence: message.sequence, time: time,
          changes: StoreChange.changes(of: decoded, key)))
    }
    return found
  }

  /// The globals that were set; values that were replaced meanwhile are missing.
  private func globals(after position: Int, upTo end: Int) async throws(LogError) -> [Found] {
    var found: [Found] = []
    var position = position
    while position < end, found.count < Self.messages,
      let message = try await store.reader.next(
        "\(store.names.prefix).g.*", after: position, in: store.names.meta)
    {
      position = message.sequence
      guard position <= end else { break }
      guard
        let name = message.subject.split(separator: ".").last.flatMap({
          StoreNames.unescaped($0)
        }), let value = SharedValue(record: message.payload)
      else { continue }
      let change = StoreChange(
        number: 0, kind: .global(name: name), key: nil,
        cursor: Cursor(epoch: value.epoch, version: value.version), at: .now)
      found.append(
        Found(
          stream: store.names.logStreams, sequence: position,
          time: max(message.orderedTime, found.last?.time ?? ""), changes: [change]))
    }
    return found
  }

  /// Appends a record.
  ///
  /// - Returns: Its sequence.
  /// - Throws: ``LogError/lost(to:)`` if another process has appended one.
  func append(_ record: FeedRecord, after sequence: Int) async throws(LogError) -> Int {
    let payload = record.payload
    let result: Result<Int, LogError> = await withCheckedContinuation { continuation in
      store.append(
        payload, void: { payload }, to: store.names.feedSubject, in: store.names.feed,
        expecting: sequence
      ) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  // MARK: Retention

  /// Deletes expired records, once per minute; the last one is retained.
  ///
  /// - Returns: The number before the oldest retained change, or `nil` if the last check was less
  ///   than a minute ago.
  func deleteExpired(upTo last: FeedReader.Positioned) async throws(LogError) -> Int? {
    let now = Clock.milliseconds
    guard now - Self.expiryInterval > lookedAt.load(ordering: .relaxed) else { return nil }
    lookedAt.store(now, ordering: .relaxed)
    let (limit, isOverflow) = Timestamp.now.milliseconds.subtractingReportingOverflow(retention)
    if !isOverflow {
      var (low, high) = (try await store.reader.bounds(of: store.names.feed).first, last.sequence)
      let first = low
      // The first record that is not expired.
      while low < high {
        let middle = (low + high) / 2
        if let record = try await reader.record(at: middle), record.at >= limit {
          high = middle
        } else {
          low = middle + 1
        }
      }
      if low > first { try await store.reader.purge(store.names.feed, before: low) }
    }
    return try await reader.floor(of: last.record)
  }
}
