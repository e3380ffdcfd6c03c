import AllocationCounter
import Identity
import ReactorCore
import ReactorHost
import ReactorHTTP
import ReactorTransport
import ReactorStreams
import SampleToken
import StreamChains
import Synchronization

/// Counts the allocations of an action and of a delivery.
///
/// The counts are exact and independent of the load.
enum Counts {
  private static let repetitions = 101

  /// All counts, by name.
  static func all() -> [String: Int] {
    var counts = streams()
    for (name, action) in [("plain action", #""increase""#), ("action", #"{"add":1}"#)] {
      let service = Service()
      let request = service.request(action)
      counts["\(name): allocations"] = allocations { service.post(request) }
    }
    let guarded = Service(authenticates: true)
    let request = guarded.request(#""increase""#)
    counts["plain action with a token: allocations"] = allocations { guarded.post(request) }
    counts["right by a rule: allocations"] = rights()
    for (name, query) in [("whole State", nil), ("part of the State", "select=/value")] {
      let (one, _) = watched(by: 1, query)
      let (many, encodes) = watched(by: 100, query)
      counts["action, stream of the \(name): allocations"] = one
      counts["action, 100 streams of the \(name): allocations"] = many
      counts["action, 100 streams of the \(name): encodes of the State"] = encodes
    }
    return counts
  }

  /// The allocations of a check of a right that a rule grants.
  private static func rights() -> Int {
    let authenticator = Authenticator(Service.authentication)
    guard
      let access = try? authenticator.authenticate(
        authorization: "Bearer " + SampleToken.text, at: 1_800_000_000)
    else { preconditionFailure("the sample token is rejected") }
    return allocations {
      precondition(access.allows(.act, to: .session(reactor: "tally", id: "posted")))
    }
  }

  /// The allocations of an action with its deliveries, and the number of encodings of the State.
  private static func watched(
    by count: Int, _ query: String?
  ) -> (allocations: Int, encodes: Int) {
    let service = Service()
    service.open(count, query: query)
    let request = service.request(#""increase""#)
    let before = TallyReactor.encodes.load(ordering: .relaxed)
    let allocations = allocations {
      service.post(request)
      service.drain()
    }
    let encodes = TallyReactor.encodes.load(ordering: .relaxed) - before
    precondition(service.deliveries == repetitions * count, "events are missing")
    // Round down, since the encodings include those of snapshots.
    return (allocations, encodes / repetitions)
  }

  /// The allocations of an event without a host.
  private static func streams() -> [String: Int] {
    let reactor = TallyReactor()
    let bag = DisposeBag()
    reactor.state.subscribe(onNext: { _ in }).disposed(by: bag)
    let action = reactor.action
    defer { withExtendedLifetime(bag) {} }
    var counts = ["reactor, 1 subscriber: allocations": allocations { action.onNext(.increase) }]
    for chain in StreamChain.all where !chain.changesThread {
      let send = chain.make()
      counts["\(chain.name): allocations"] = allocations { send(1) }
    }
    return counts
  }

  /// The number of allocations of one call: the median, because an array grows occasionally.
  private static func allocations(of body: () -> Void) -> Int {
    let counts = (0..<repetitions).map { _ in
      allocation_counter_start()
      body()
      return allocation_counter_stop()
    }
    return counts.sorted()[repetitions / 2]
  }
}
