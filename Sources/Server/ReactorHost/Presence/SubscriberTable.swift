internal import ReactorSessions

/// The subscribers of one session, and the decision when to publish them.
///
/// A value without a clock or a thread. Without a named subscriber or an observer, it stores only
/// the number of streams.
///
/// ```
///            a change, or a new observer            the interval has passed
///   idle ──────────────────────────────▶ scheduled ────────────────────────▶ publishing
///    ▲                                       ▲                                   │
///    │                                       └──── changed meanwhile ────────────┤
///    └───────────────────────────────────────────────────────────────────────────┘
/// ```
///
/// The interval begins with the first change, so that many changes at the same time are one
/// publication.
struct SubscriberTable: Sendable {
  /// The time from a change to its publication.
  static let interval = Duration.milliseconds(250)

  fileprivate enum Phase {
    case idle, scheduled, publishing
  }

  /// The parts that few sessions have.
  fileprivate struct Details: Sendable {
    var streams: [[UInt8]: Int] = [:]
    var observers: [any PresenceObserver] = []
    var phase = Phase.idle
    var revision = 0
    /// Whether an observer lacks the latest revision.
    var isStale = false
  }

  /// The number of streams.
  private(set) var count = 0
  @Boxed private var details: Details?

  /// The number of changes while there was a named subscriber or an observer.
  var revision: Int { details?.revision ?? 0 }

  /// Adds streams of an owner, or removes them.
  ///
  /// - Returns: Whether to schedule ``beginPublication()``.
  mutating func change(_ owner: StreamOwner, by change: Int) -> Bool {
    count += change
    guard owner.name != nil || details != nil else { return false }
    return update { details in
      details.revision += 1
      if let name = owner.name { details.add(change, of: name) }
      return details.becameStale()
    }
  }

  /// Adds the subscribers and observers of another table, with a later revision than both.
  ///
  /// - Returns: Whether to schedule ``beginPublication()``.
  mutating func absorb(_ other: SubscriberTable) -> Bool {
    count += other.count
    guard let others = other.details else { return false }
    return update { details in
      for (name, streams) in others.streams { details.add(streams, of: name) }
      details.observers += others.observers
      details.revision = max(details.revision, others.revision) + 1
      return details.becameStale()
    }
  }

  /// Adds an observer, which the next publication notifies.
  ///
  /// - Returns: Whether to schedule ``beginPublication()``.
  mutating func add(_ observer: any PresenceObserver) -> Bool {
    update { details in
      details.observers.append(observer)
      return details.becameStale()
    }
  }

  mutating func remove(_ observer: any PresenceObserver) {
    guard details != nil else { return }
    update { details in details.observers.removeAll { $0 === observer } }
  }

  /// The interval has passed.
  ///
  /// - Returns: The subscribers and the observers to notify before ``endPublication()``, or `nil` if
  ///   no observers remain.
  mutating func beginPublication() -> (Snapshot, [any PresenceObserver])? {
    guard details != nil else { return nil }
    let observers = update { details in
      details.isStale = false
      details.phase = details.observers.isEmpty ? .idle : .publishing
      return details.observers
    }
    return observers.isEmpty ? nil : (snapshot, observers)
  }

  /// The observers were notified.
  ///
  /// - Returns: Whether to schedule ``beginPublication()`` again.
  mutating func endPublication() -> Bool {
    update { details in
      details.phase = .idle
      return details.isStale && details.becameStale()
    }
  }

  /// The subscribers at one moment, unsorted, so that the lock around the table is held briefly.
  struct Snapshot: Sendable {
    let count: Int
    let streams: [[UInt8]: Int]
    let revision: Int

    /// The subscribers in the order of their names.
    var update: PresenceUpdate {
      let subscribers = streams.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map {
        Presence.Subscriber(name: String(decoding: $0.key, as: UTF8.self), streams: $0.value)
      }
      return PresenceUpdate(
        Presence(count: count, subscribers: subscribers), revision: revision)
    }
  }

  /// The subscribers at this moment.
  var snapshot: Snapshot {
    Snapshot(count: count, streams: details?.streams ?? [:], revision: revision)
  }

  /// Changes the details, and drops them when they are empty.
  @discardableResult
  private mutating func update<Result>(_ body: (inout Details) -> Result) -> Result {
    var current = details ?? Details()
    // Release the stored reference to the dictionary, so that `body` changes it in place.
    details = nil
    defer { details = current.isEmpty ? nil : current }
    return body(&current)
  }
}

extension SubscriberTable.Details {
  fileprivate var isEmpty: Bool {
    streams.isEmpty && observers.isEmpty && phase == .idle
  }

  /// Adds streams of a named owner, or removes them.
  fileprivate mutating func add(_ change: Int, of name: [UInt8]) {
    let sum = streams[name, default: 0] + change
    streams[name] = sum == 0 ? nil : sum
  }

  /// Records a change; returns whether to schedule a publication.
  fileprivate mutating func becameStale() -> Bool {
    isStale = true
    guard !observers.isEmpty, phase == .idle else { return false }
    phase = .scheduled
    return true
  }
}
