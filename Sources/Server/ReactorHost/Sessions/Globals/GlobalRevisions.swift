internal import ReactorLog
internal import Synchronization

/// The values from outside that a session has received: the latest revision for each mark.
struct GlobalRevisions: ~Copyable, Sendable {
  // Not private: the compiler cannot emit a class in another file that stores this value inline.
  struct Contents {
    /// The revisions that are in the log, or will be with the next batch.
    var revisions: [String: UInt64]
    /// The revisions of the values that have caused no mutation yet.
    var unclaimed: [String: UInt64] = [:]
    /// The marks whose values have caused no mutation since the load.
    var silent: Set<String> = []
    /// The numbers of the observations, by the name of the value.
    var numbers: [String: Set<Int>] = [:]
  }

  private let contents: Mutex<Contents>
  private let hasUnclaimed = Atomic<Bool>(false)

  /// Creates the revisions that the log has.
  init(_ stored: [String: UInt64]) {
    contents = Mutex(Contents(revisions: stored))
  }

  /// The number of observations of which the session has a mutation; after a load, of those that have
  /// received a value.
  var count: Int { contents.withLock { $0.revisions.count - $0.silent.count } }

  /// Assigns the least free number to an observation.
  func beginObservation(of name: String) -> Int {
    contents.withLock { contents in
      var number = 1
      while contents.numbers[name]?.contains(number) == true { number += 1 }
      contents.numbers[name, default: []].insert(number)
      return number
    }
  }

  func end(_ observation: ValueObservation) {
    contents.withLock { contents in
      contents.numbers[observation.name]?.remove(observation.number)
      if contents.numbers[observation.name]?.isEmpty == true {
        contents.numbers[observation.name] = nil
      }
    }
  }

  /// Whether the session has a value already; `null` is the value of a session that has received none.
  func has(_ value: OutsideValue, as mark: String) -> Bool {
    contents.withLock { Self.has(value, as: mark, $0) }
  }

  private static func has(_ value: OutsideValue, as mark: String, _ contents: Contents) -> Bool {
    contents.revisions[mark].map { $0 == value.revision } ?? value.isNull
  }

  /// Records that an observation receives a value.
  ///
  /// - Returns: Whether the State has the mutations of the value already: they must be dropped. Not if
  ///   another value has arrived that has caused none: the mutation may combine both.
  func receive(_ value: OutsideValue, by observation: ValueObservation) -> Bool {
    let mark = observation.mark
    let isApplied = contents.withLock { contents -> Bool? in
      if Self.has(value, as: mark, contents) {
        return observation.isJoin && contents.unclaimed.isEmpty
      }
      contents.unclaimed[mark] = value.revision
      return nil
    }
    if isApplied == nil { hasUnclaimed.store(true, ordering: .releasing) }
    return isApplied ?? false
  }

  /// Records that a value has caused a mutation.
  func didCause(_ mark: LogEntry.GlobalMark) {
    contents.withLock { contents in
      contents.revisions[mark.name] = mark.revision
      contents.unclaimed[mark.name] = nil
      contents.silent.remove(mark.name)
    }
  }

  /// Removes the values that have caused no mutation, whose marks the next batch stores.
  func claim() -> [LogEntry.GlobalMark] {
    guard hasUnclaimed.exchange(false, ordering: .acquiringAndReleasing) else { return [] }
    let unclaimed = contents.withLock { contents in
      defer { contents.unclaimed = [:] }
      for mark in contents.unclaimed.keys where contents.revisions[mark] == nil {
        contents.silent.insert(mark)
      }
      contents.revisions.merge(contents.unclaimed) { $1 }
      return contents.unclaimed
    }
    return unclaimed.map { LogEntry.GlobalMark(name: $0.key, revision: $0.value) }
  }
}
