internal import ReactorStreams
internal import Synchronization

/// Orders the creation, start and cancellation of streams in a process.
struct CancellationMoment: Hashable, Comparable, Sendable {
  private static let last = Atomic<UInt64>(0)

  let number: UInt64

  static func next() -> CancellationMoment {
    CancellationMoment(number: last.wrappingAdd(1, ordering: .relaxed).newValue)
  }

  static func < (lhs: CancellationMoment, rhs: CancellationMoment) -> Bool {
    lhs.number < rhs.number
  }
}

/// An id by which effects of one reactor can be cancelled.
struct CancellationID: Hashable, Sendable {
  private let base: any Hashable & Sendable

  init(_ base: some Hashable & Sendable) {
    self.base = base
  }

  static func == (lhs: CancellationID, rhs: CancellationID) -> Bool {
    AnyHashable(lhs.base) == AnyHashable(rhs.base)
  }

  func hash(into hasher: inout Hasher) {
    AnyHashable(base).hash(into: &hasher)
  }
}

/// The running streams of one reactor, by cancellation id.
final class CancellationScope: Sendable {
  /// Identifies a running stream.
  struct Entry: Sendable {
    fileprivate let id: CancellationID
    fileprivate let number: UInt64
  }

  private struct State {
    var next: UInt64 = 0
    var running: [CancellationID: [UInt64: @Sendable () -> Void]] = [:]

    /// Whether the scope has ended.
    ///
    /// Streams that begin afterwards complete immediately.
    var hasEnded = false

    /// The last cancellation of each id.
    ///
    /// It applies to streams that were created before it and have not begun.
    var cancelled: [CancellationID: CancellationMoment] = [:]

    mutating func cancel(
      _ id: CancellationID, before moment: CancellationMoment
    ) -> [@Sendable () -> Void] {
      if cancelled.count >= CancellationScope.rememberedLimit, cancelled[id] == nil,
        let oldest = cancelled.min(by: { $0.value < $1.value })
      {
        cancelled[oldest.key] = nil
      }
      cancelled[id] = max(cancelled[id] ?? moment, moment)
      return running.removeValue(forKey: id)?.sorted { $0.key < $1.key }.map(\.value) ?? []
    }
  }

  /// The maximum number of cancelled ids that are stored while an effect is running.
  static let rememberedLimit = 1024

  private let state = Mutex(State())

  /// Ends the running streams with an id.
  ///
  /// Streams that were created before this call and have not begun complete when they begin.
  func cancel(_ id: CancellationID) {
    let cancellations = state.withLock { $0.cancel(id, before: .next()) }
    for cancel in cancellations { cancel() }
  }

  /// Adds a stream that is about to begin.
  ///
  /// - Parameters:
  ///   - id: Its cancellation id.
  ///   - made: The moment of its creation.
  ///   - started: The start of its effect.
  ///   - cancelsInFlight: Whether to end the other streams with the id.
  ///   - cancel: Ends the stream.
  /// - Returns: The entry to remove, or `nil` if the stream was cancelled before it began.
  func enter(
    _ id: CancellationID, made: CancellationMoment, started: CancellationMoment,
    cancelsInFlight: Bool, cancel: @escaping @Sendable () -> Void
  ) -> Entry? {
    let (entry, cancellations) = state.withLock { state -> (Entry?, [@Sendable () -> Void]) in
      if state.hasEnded { return (nil, []) }
      if let cancelled = state.cancelled[id], cancelled > made, cancelled > started {
        return (nil, [])
      }
      let cancellations = cancelsInFlight ? state.cancel(id, before: made) : []
      state.next += 1
      state.running[id, default: [:]][state.next] = cancel
      return (Entry(id: id, number: state.next), cancellations)
    }
    for cancel in cancellations { cancel() }
    return entry
  }

  /// Removes a stream that has ended.
  func leave(_ entry: Entry) {
    state.withLock { state in
      state.running[entry.id]?[entry.number] = nil
      if state.running[entry.id]?.isEmpty == true { state.running[entry.id] = nil }
    }
  }

  /// Ends all streams.
  ///
  /// Streams that begin later complete immediately.
  func end() {
    let cancellations = state.withLock { state in
      state.hasEnded = true
      return state.running.values.flatMap { $0 }.sorted { $0.key < $1.key }.map(\.value)
    }
    for cancel in cancellations { cancel() }
  }

  /// Removes the cancelled ids.
  ///
  /// Called when no effect is running: only a running effect can begin a stream.
  func forget() {
    state.withLock { $0.cancelled = [:] }
  }
}
