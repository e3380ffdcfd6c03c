public import ReactorCore
internal import Synchronization

/// A reactor to be hosted: its name, its words for people, and how an instance is made.
public struct ReactorRegistration: Sendable {
  /// The name in every address: what a session's id may be.
  public let name: String

  let host: @Sendable (HostEnvironment) -> any HostedReactor

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
  ///   - make: Makes an instance: one for each session that is in memory, and now and then one that
  ///     only folds mutations. It is called on any thread and must be cheap.
  @inlinable
  public init<R: Reactor>(
    _ name: String, summary: String, exampleActions: [R.Action] = [],
    whenInterrupted: InterruptionPolicy = .runAgain,
    make: @escaping @Sendable () -> R
  ) where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
    self.init(
      name, summary: summary,
      blueprint: ReactorBlueprint(
        exampleActions: exampleActions, interruptionPolicy: whenInterrupted, make: make))
  }

  @usableFromInline
  init<R>(_ name: String, summary: String, blueprint: ReactorBlueprint<R>) {
    self.name = name
    host = { environment in
      ReactorRuntime(
        name: name, summary: summary, blueprint: blueprint, environment: environment)
    }
  }
}

/// What every hosted reactor shares.
struct HostEnvironment: Sendable {
  let settings: HostSettings
  let log: any MutationLog
  let logger: Logger
  let places = SessionPlaces()
  let interruptions = Interruptions()
  /// What is counted; each reactor has its own.
  var counts = ReactorCounts()
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
