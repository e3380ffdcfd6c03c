public import ReactorCore
public import ReactorHost
internal import ReactorLog
public import ReactorStreams

/// An auction of one item, which closes at its time and is listed in a lobby while it is open.
public final class AuctionReactor: Reactor {
  /// The item and the time of the end.
  public struct Parameters: Codable, Sendable {
    var item: String

    /// The time after which no bid counts, in milliseconds since 1970.
    var endsAt: Int64
  }

  /// The actions that clients send.
  public enum Action: Codable, Sendable {
    case open
    case bid(by: String, amount: Int)
  }

  /// The changes of the state.
  public enum Mutation: Codable, Sendable {
    case opened
    case bid(Bid)
    case closed(at: Int64)
    case reported
  }

  /// An offer.
  public struct Bid: Codable, Equatable, Sendable {
    var by: String
    var amount: Int
  }

  /// The phases of an auction.
  public enum Phase: String, Codable, Sendable {
    case new, open, closed
  }

  /// The item, the phase and the bids.
  public struct State: Codable, Equatable, Sendable {
    /// The maximum number of bids in the state; the log retains all of them.
    static let bidLimit = 50

    var item: String
    var endsAt: Int64
    var phase = Phase.new
    var bids: [Bid] = []
    var closedAt: Int64?

    /// Whether the lobby has the sale.
    var isReported = false
  }

  /// The item of the parameters.
  public let initialState: State

  private let id: String
  private let lobby: SessionReference<LobbyReactor>
  private let scheduler: any SchedulerType
  private let clock: @Sendable () -> Int64
  /// Whether this instance has an active effect; the state may be that of an earlier instance.
  private var isWaiting = false

  /// Creates the auction of a session.
  ///
  /// - Parameters:
  ///   - context: The session with its parameters.
  ///   - scheduler: Waits for the end.
  ///   - clock: The time in milliseconds since 1970.
  public init(
    _ context: SessionContext<Parameters>, scheduler: any SchedulerType = TaskScheduler.instance,
    clock: @escaping @Sendable () -> Int64 = { Timestamp.now.milliseconds }
  ) {
    id = context.session.id
    initialState = State(item: context.parameters.item, endsAt: context.parameters.endsAt)
    lobby = context.session(LobbyReactor.self, "lobby", "main")
    self.scheduler = scheduler
    self.clock = clock
  }

  /// Opens the auction until its end, and accepts bids that are higher than the one before.
  public func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .open:
      guard !isWaiting, !currentState.isReported else { return .empty() }
      isWaiting = true
      return run()
    case .bid(let name, let amount):
      let state = currentState
      guard state.phase == .open, clock() < state.endsAt else { return .error(Rejection.isNotOpen) }
      guard (1...100).contains(name.utf8.count) else { return .error(Rejection.invalidName) }
      guard amount > state.bids.last?.amount ?? 0 else { return .error(Rejection.isTooLow) }
      return .just(.bid(Bid(by: name, amount: amount)))
    }
  }

  /// The life of the auction.
  ///
  /// After a crash it begins again and skips the steps that are committed. Its sends have the same
  /// keys, so that the lobby executes each once.
  private func run() -> Observable<Mutation> {
    let phase = currentState.phase
    return .concat([
      phase == .new ? .just(.opened) : .empty(),
      Self.sent(.list(id: id, item: initialState.item), to: lobby),
      phase == .closed ? .empty() : end(),
      state.take(1).flatMap { [id, lobby] state in
        let bid = state.bids.last
        let sale = LobbyReactor.Sale(
          id: id, item: state.item, winner: bid?.by, price: bid?.amount ?? 0)
        return Self.sent(.close(id: id, sale: sale), to: lobby)
      },
      .just(.reported),
    ])
  }

  private func end() -> Observable<Mutation> {
    let remaining = Duration.milliseconds(max(0, initialState.endsAt - clock()))
    return Observable<Int>.timer(remaining, scheduler: scheduler).map { [clock] _ in
      .closed(at: clock())
    }
  }

  private static func sent(
    _ action: LobbyReactor.Action, to lobby: SessionReference<LobbyReactor>
  ) -> Observable<Mutation> {
    lobby.send(action, expecting: .accepted).flatMap { _ in Observable<Mutation>.empty() }
  }

  /// Adds the bid, or changes the phase.
  public func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .opened: state.phase = .open
    case .bid(let bid): state.bids = (state.bids + [bid]).suffix(State.bidLimit)
    case .closed(let time): (state.phase, state.closedAt) = (.closed, time)
    case .reported: state.isReported = true
    }
    return state
  }

  private enum Rejection: ActionError {
    case isNotOpen, invalidName, isTooLow

    var status: Int { self == .invalidName ? 422 : 409 }

    var title: String {
      switch self {
      case .isNotOpen: "The auction is not open"
      case .invalidName: "A name has 1 to 100 bytes"
      case .isTooLow: "The bid is not higher than the one before"
      }
    }
  }
}
