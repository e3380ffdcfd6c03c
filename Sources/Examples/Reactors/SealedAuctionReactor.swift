package import ReactorCore
package import ReactorHost

/// An auction with sealed bids: until they are revealed, a bidder sees its own bid and the names of the others.
package final class SealedAuctionReactor: Reactor, ProjectedReactor {
  /// The commands of clients.
  package enum Action: Codable, Sendable {
    case bid(by: String, amount: Int)
    case reveal
    case begin(item: String)
  }

  /// The changes of the State.
  package enum Mutation: Codable, Sendable {
    case bid(Bid)
    case revealed
    case began(item: String)
  }

  /// An offer.
  package struct Bid: Codable, Equatable, Sendable {
    package var by: String
    package var amount: Int
  }

  /// The item and all bids, which no client receives as it is.
  package struct State: Codable, Equatable, Sendable {
    /// The maximum number of bids.
    static let bidLimit = 50

    package var item = "A lamp"
    package var isSealed = true
    package var bids: [Bid] = []
  }

  /// The view of one bidder, or of every client that has not bid.
  package struct View: Codable, Equatable, Sendable {
    package var item: String
    package var isSealed: Bool
    package var bidders: [String]
    package var ownBid: Int?
    /// The bids, the highest first, once they are revealed.
    package var bids: [Bid]
  }

  /// While the bids are sealed, each bidder is an audience of its own.
  package static let projection = Projection(
    dependsOn: { (state: State) in state.isSealed ? state.bids.map(\.by) : [] }
  ) { (viewer: Viewer, state: State) -> Audience<String?> in
    guard state.isSealed else { return .sees(nil) }
    return .sees(state.bids.first { $0.by == viewer.id }?.by)
  } view: { state, bidder in
    View(
      item: state.item, isSealed: state.isSealed, bidders: state.bids.map(\.by).sorted(),
      ownBid: bidder.flatMap { name in state.bids.first { $0.by == name }?.amount },
      bids: state.isSealed ? [] : state.bids.sorted { $0.amount > $1.amount })
  }

  /// No bids.
  package let initialState = State()

  /// Creates an auction.
  package init() {}

  /// Accepts one bid per bidder while the bids are sealed.
  package func mutate(action: Action) -> Observable<Mutation> {
    let state = currentState
    switch action {
    case .bid(let name, let amount):
      // In a service with authentication a client bids for itself.
      if let principal = RequestContext.current?.principal, principal.id != name {
        return .error(Rejection.isNotYours)
      }
      guard state.isSealed else { return .error(Rejection.isRevealed) }
      guard (1...100).contains(name.utf8.count), amount > 0 else {
        return .error(Rejection.isInvalid)
      }
      guard !state.bids.contains(where: { $0.by == name }), state.bids.count < State.bidLimit else {
        return .error(Rejection.isTooMany)
      }
      return .just(.bid(Bid(by: name, amount: amount)))
    case .reveal:
      guard state.bids.count > 1 else { return .error(Rejection.isTooEarly) }
      return state.isSealed ? .just(.revealed) : .empty()
    case .begin(let item):
      guard (1...100).contains(item.utf8.count) else { return .error(Rejection.isInvalid) }
      return state.isSealed && !state.bids.isEmpty
        ? .error(Rejection.isTooEarly) : .just(.began(item: item))
    }
  }

  /// Adds the bid, reveals all, or begins again.
  package func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .bid(let bid): state.bids.append(bid)
    case .revealed: state.isSealed = false
    case .began(let item): state = State(item: item)
    }
    return state
  }

  enum Rejection: ActionError, Codable {
    case isNotYours, isRevealed, isInvalid, isTooMany, isTooEarly

    var status: Int {
      switch self {
      case .isNotYours: 403
      case .isRevealed, .isTooMany, .isTooEarly: 409
      case .isInvalid: 422
      }
    }

    var title: String {
      switch self {
      case .isNotYours: "The bid is in the name of another bidder"
      case .isRevealed: "The bids are revealed"
      case .isInvalid: "A name or an item has 1 to 100 bytes, and an amount is positive"
      case .isTooMany: "Each bidder has one bid, and there are at most \(State.bidLimit)"
      case .isTooEarly: "Two bids are needed, and all are revealed before the next auction"
      }
    }
  }
}
