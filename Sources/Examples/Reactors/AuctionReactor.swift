package import ReactorCore
package import ReactorHost

/// An auction of one item, which a timer closes and which is listed in a lobby while it is open.
package final class AuctionReactor: Reactor {
  /// The item and the time of the end.
  package struct Parameters: Codable, Sendable {
    var item: String

    /// The time from which bids are rejected.
    var endsAt: WallTime
  }

  /// The actions of clients, and that of the timer.
  package enum Action: Codable, Sendable {
    case open
    case bid(by: String, amount: Int)
    case close
  }

  /// The changes of the state.
  package enum Mutation: Codable, Sendable {
    case opened
    case listed
    case bid(Bid)
    case closed(at: WallTime)
    case reported
  }

  /// An offer.
  package struct Bid: Codable, Equatable, Sendable {
    var by: String
    var amount: Int
  }

  /// The phases of an auction.
  package enum Phase: String, Codable, Sendable {
    case new, open, closed
  }

  /// The item, the phase and the bids.
  package struct State: Codable, Equatable, Sendable {
    /// The maximum number of bids in the state; the log retains all of them.
    static let bidLimit = 50

    var item: String
    var endsAt: WallTime
    var phase = Phase.new
    var bids: [Bid] = []
    var closedAt: WallTime?

    /// Whether the lobby lists the auction.
    var isListed = false

    /// Whether the auction has reported the sale to the lobby.
    var isReported = false
  }

  /// The item and the end in the parameters, without bids.
  package let initialState: State

  private let id: String
  private let lobby: SessionReference<LobbyReactor>
  /// The effect of this instance that is opening the auction.
  private let opening = ExclusiveStream()

  /// Creates the auction of a session.
  package init(_ context: SessionContext<Parameters>) {
    id = context.session.id
    initialState = State(item: context.parameters.item, endsAt: context.parameters.endsAt)
    lobby = context.session(LobbyReactor.self, "lobby", "main")
  }

  /// Opens the auction until its end, and accepts bids that are higher than the one before.
  package func mutate(action: Action) -> Observable<Mutation> {
    let state = currentState
    switch action {
    case .open:
      // An interrupted request is executed again, perhaps after the end of the auction, which is
      // listed even then.
      guard !state.isListed, !opening.isRunning else { return .empty() }
      guard state.item.utf8.count <= LobbyReactor.State.textLimit else {
        return .error(Rejection.longItem)
      }
      return opening.track(open(isNew: state.phase == .new))
    case .bid(let name, let amount):
      guard state.phase == .open, WallTime.now < state.endsAt else {
        return .error(Rejection.isNotOpen)
      }
      guard (1...100).contains(name.utf8.count) else { return .error(Rejection.invalidName) }
      guard amount > state.bids.last?.amount ?? 0 else { return .error(Rejection.isTooLow) }
      return .just(.bid(Bid(by: name, amount: amount)))
    case .close:
      guard case .timer = ActionOrigin.current else { return .error(Rejection.isNotForClients) }
      return close(isOpen: state.phase == .open)
    }
  }

  /// Schedules the end, and lists the auction in the lobby.
  ///
  /// After a crash the action is executed again and skips the steps that are committed. Its send
  /// has the same key, so that the lobby executes it once. The same applies to the send of `close`.
  private func open(isNew: Bool) -> Observable<Mutation> {
    .concat([
      isNew ? schedule(.close, at: initialState.endsAt, id: "end") : .empty(),
      isNew ? .just(.opened) : .empty(),
      lobby.sendOnly(.list(id: id, item: initialState.item)),
      .just(.listed),
    ])
  }

  /// Closes the auction, and reports the sale to the lobby.
  private func close(isOpen: Bool) -> Observable<Mutation> {
    .concat([
      isOpen ? .just(.closed(at: .now)) : .empty(),
      state.take(1).flatMap { [id, lobby] state in
        let bid = state.bids.last
        let sale = LobbyReactor.Sale(
          id: id, item: state.item, winner: bid?.by, price: bid?.amount ?? 0)
        return lobby.sendOnly(.close(id: id, sale: sale))
      },
      .just(.reported),
    ])
  }

  /// Adds the bid, or changes the phase.
  package func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .opened: state.phase = .open
    case .listed: state.isListed = true
    case .bid(let bid): state.bids = (state.bids + [bid]).suffix(State.bidLimit)
    case .closed(let time): (state.phase, state.closedAt) = (.closed, time)
    case .reported: state.isReported = true
    }
    return state
  }

  enum Rejection: ActionError, Codable {
    case isNotOpen, invalidName, longItem, isTooLow, isNotForClients

    var status: Int {
      switch self {
      case .isNotOpen, .isTooLow: 409
      case .invalidName, .longItem: 422
      case .isNotForClients: 403
      }
    }

    var title: String {
      switch self {
      case .isNotOpen: "The auction is not open"
      case .invalidName: "A name has 1 to 100 bytes"
      case .longItem: "An item has at most \(LobbyReactor.State.textLimit) bytes"
      case .isTooLow: "The bid is not higher than the one before"
      case .isNotForClients: "Auctions close by themselves"
      }
    }
  }
}
