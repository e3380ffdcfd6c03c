public import ReactorCore

/// The open auctions and the latest sales: the auctions send them.
///
/// An auction may send each action again; only the first one changes the State.
public final class LobbyReactor: Reactor {
  /// The actions of auctions.
  public enum Action: Codable, Sendable {
    case list(id: String, item: String)
    case close(id: String, sale: Sale)
  }

  /// The changes of the state.
  public enum Mutation: Codable, Sendable {
    case add(Listing)
    case sell(Sale)
  }

  /// An open auction.
  public struct Listing: Codable, Equatable, Sendable {
    var id: String
    var item: String
  }

  /// A closed auction.
  public struct Sale: Codable, Equatable, Sendable {
    var id: String
    var item: String
    var winner: String?
    var price: Int
  }

  /// The open auctions and the latest sales.
  public struct State: Codable, Equatable, Sendable {
    /// The maximum number of open auctions.
    static let openLimit = 1000

    /// The maximum number of sales in the state; the log retains all of them.
    static let saleLimit = 200

    var open: [Listing] = []
    var sold: [Sale] = []
  }

  /// No auctions.
  public let initialState = State()

  /// Creates a lobby.
  public init() {}

  /// Rejects auctions beyond the limit, and ignores repetitions.
  public func mutate(action: Action) -> Observable<Mutation> {
    let state = currentState
    switch action {
    case .list(let id, let item):
      guard !state.open.contains(where: { $0.id == id }),
        !state.sold.contains(where: { $0.id == id })
      else { return .empty() }
      guard state.open.count < State.openLimit else { return .error(LobbyFull()) }
      return .just(.add(Listing(id: id, item: item)))
    case .close(let id, let sale):
      return state.sold.contains { $0.id == id } ? .empty() : .just(.sell(sale))
    }
  }

  /// Moves an auction from the open ones to the sales.
  public func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .add(let listing): state.open.append(listing)
    case .sell(let sale):
      state.open.removeAll { $0.id == sale.id }
      state.sold = (state.sold + [sale]).suffix(State.saleLimit)
    }
    return state
  }
}

private struct LobbyFull: ActionError {
  var status: Int { 409 }
  var title: String { "Too many auctions are open" }
}
