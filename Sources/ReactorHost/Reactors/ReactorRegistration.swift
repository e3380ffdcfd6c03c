public import ReactorCore
internal import Synchronization

/// A reactor to be hosted: its name, its words for people, and how an instance is made.
public struct ReactorRegistration: Sendable {
  /// The name in every address: what a session's id may be.
  public let name: String

  let host: @Sendable (HostEnvironment) -> any HostedReactor
  private let fingerprint: @Sendable () -> String

  /// Registers a reactor whose actions, mutations and states are `Codable`.
  ///
  /// ```swift
  /// ReactorRegistration("counter", summary: "A number", exampleActions: [.increase, .add(5)]) {
  ///   CounterReactor()
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name in every address.
  ///   - summary: One sentence for people.
  ///   - exampleActions: Actions to try, shown in the catalogue.
  ///   - whenInterrupted: What becomes of an accepted action that the end of the process has cut off.
  ///   - upgradeMutation: Asked for a mutation in the log that cannot be read as it stands, because an
  ///     earlier release has written it: gives the JSON that the reactor reads now. It must give the
  ///     same for the same each time. What it throws is the end of that session, for now, and of no
  ///     other.
  ///   - make: Makes an instance: one for each session that is in memory, and now and then one that
  ///     only folds mutations. It is called on any thread and must be cheap.
  @inlinable
  public init<R: Reactor>(
    _ name: String, summary: String, exampleActions: [R.Action] = [],
    whenInterrupted: InterruptionPolicy = .runAgain,
    upgradeMutation: MutationUpgrade? = nil,
    make: @escaping @Sendable () -> R
  ) where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
    self.init(
      name, summary: summary,
      blueprint: ReactorBlueprint(
        exampleActions: exampleActions, interruptionPolicy: whenInterrupted,
        upgradeMutation: upgradeMutation, make: make))
  }

  @usableFromInline
  init<R>(_ name: String, summary: String, blueprint: ReactorBlueprint<R>) {
    self.name = name
    host = { environment in
      ReactorRuntime(
        name: name, summary: summary, blueprint: blueprint, environment: environment)
    }
    fingerprint = { blueprint.schema }
  }

  /// The fingerprint of its State and Mutation: another one where a release has changed them.
  public var schema: String { fingerprint() }
}

/// Makes of the JSON of an old mutation the JSON of one that the reactor reads now.
public typealias MutationUpgrade = @Sendable (_ mutation: String) throws -> String

/// What every hosted reactor shares.
///
/// One object for all sessions of a reactor: as a value it would be a good part of each.
final class HostEnvironment: Sendable {
  let settings: HostSettings
  let log: any MutationLog
  let logger: Logger
  let places: SessionPlaces
  let interruptions: Interruptions
  /// What is counted; each reactor has its own.
  let counts = ReactorCounts()
  let vacancies = Vacancies()

  init(settings: HostSettings, log: any MutationLog, logger: Logger) {
    self.settings = settings
    self.log = log
    self.logger = logger
    places = SessionPlaces()
    interruptions = Interruptions()
  }

  /// Makes the environment of one more reactor of the same host.
  init(sharing other: HostEnvironment) {
    settings = other.settings
    log = other.log
    logger = other.logger
    places = other.places
    interruptions = other.interruptions
  }
}

/// Whether there may be accepted actions that go on nowhere: at first, and when a session was put out
/// of memory by its log.
final class Interruptions: Sendable {
  private let arePossible = Atomic<Bool>(true)

  /// There may be some.
  func arise() {
    arePossible.store(true, ordering: .releasing)
  }

  /// Whether there may be some; those that arise later will be news.
  func take() -> Bool {
    arePossible.exchange(false, ordering: .acquiringAndReleasing)
  }
}

/// The sessions of a reactor whose places in the table hold nothing: they have ended, or were asked for
/// in vain.
///
/// Each is noted while its place is in use still; the table's owner drops it at a later moment.
final class Vacancies: Sendable {
  private let ids = Mutex<Set<String>>([])

  func note(_ id: String) {
    _ = ids.withLock { $0.insert(id) }
  }

  /// Takes out all of them.
  func takeAll() -> Set<String> {
    ids.withLock { ids in
      guard !ids.isEmpty else { return [] }
      defer { ids = [] }
      return ids
    }
  }
}

/// Counts the sessions that are in memory, of all reactors of a host.
final class SessionPlaces: Sendable {
  private let taken = Atomic<Int>(0)

  /// Takes a place for one more session, unless so many are taken.
  func take(atMost limit: Int) -> Bool {
    if taken.add(1, ordering: .relaxed).newValue <= limit { return true }
    give()
    return false
  }

  /// Gives a place back.
  func give() {
    taken.subtract(1, ordering: .relaxed)
  }
}
