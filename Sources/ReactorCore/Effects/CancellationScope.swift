internal import ReactorStreams
internal import Synchronization

/// Orders what was made, started and cancelled in a process.
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

/// What the effects of one reactor can be cancelled by.
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

/// The streams of one reactor that run under an id.
final class CancellationScope: Sendable {
  /// Names a stream that runs.
  struct Entry: Sendable {
    fileprivate let id: CancellationID
    fileprivate let number: UInt64
  }

  private struct State {
    var next: UInt64 = 0
    var running: [CancellationID: [UInt64: @Sendable () -> Void]] = [:]

    /// When each id was last cancelled, for streams that were made before and are yet to begin.
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

  /// How many ids are remembered as cancelled while an effect runs.
  static let rememberedLimit = 1024

  private let state = Mutex(State())

  /// Ends the streams that run under an id, and keeps those from beginning that were made before.
  func cancel(_ id: CancellationID) {
    let cancellations = state.withLock { $0.cancel(id, before: .next()) }
    for cancel in cancellations { cancel() }
  }

  /// Takes a stream in that is about to begin.
  ///
  /// - Parameters:
  ///   - id: What it can be cancelled by.
  ///   - made: When it was described.
  ///   - started: When the effect that it belongs to was started.
  ///   - cancelsInFlight: Whether those that run under the id, or are yet to begin, end.
  ///   - cancel: Ends the stream.
  /// - Returns: What takes it out again; `nil` where it was cancelled before it began.
  func enter(
    _ id: CancellationID, made: CancellationMoment, started: CancellationMoment,
    cancelsInFlight: Bool, cancel: @escaping @Sendable () -> Void
  ) -> Entry? {
    let (entry, cancellations) = state.withLock { state -> (Entry?, [@Sendable () -> Void]) in
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

  /// Takes a stream out that has ended.
  func leave(_ entry: Entry) {
    state.withLock { state in
      state.running[entry.id]?[entry.number] = nil
      if state.running[entry.id]?.isEmpty == true { state.running[entry.id] = nil }
    }
  }

  /// Forgets what was cancelled: no effect runs that could begin a stream late.
  func forget() {
    state.withLock { $0.cancelled = [:] }
  }

  /// How many streams run under an id.
  var runningCount: Int {
    state.withLock { $0.running.values.reduce(0) { $0 + $1.count } }
  }
}
