package import ReactorCore

/// Lists the open auctions and the latest sales, which the auctions send.
///
/// The `list` and the `close` of an auction are executed exactly once, so the lobby does not
/// deduplicate.
package final class LobbyReactor: Reactor {
  /// The actions of auctions.
  package enum Action: Codable, Sendable {
    case list(id: String, item: String)
    case close(id: String, sale: Sale)
  }

  /// The changes of the state.
  package enum Mutation: Codable, Sendable {
    case add(Listing)
    case sell(Sale)
  }

  /// An open auction.
  package struct Listing: Codable, Equatable, Sendable {
    var id: String
    var item: String
  }

  /// A closed auction.
  package struct Sale: Codable, Equatable, Sendable {
    var id: String
    var item: String
    var winner: String?
    var price: Int
  }

  /// The open auctions and the latest sales.
  package struct State: Codable, Equatable, Sendable {
    /// The maximum number of open auctions.
    static let openLimit = 1000

    /// The maximum number of sales in the state; the log retains all of them.
    static let saleLimit = 200

    /// The maximum size of the open auctions as JSON.
    static let openBytes = 524_288

    /// The maximum size of the sales in the state as JSON.
    static let saleBytes = 262_144

    /// The maximum length of an id, an item and a name in bytes.
    static let textLimit = 200

    var open: [Listing] = []
    var sold: [Sale] = []
  }

  /// No auctions.
  package let initialState = State()

  /// Creates a lobby.
  package init() {}

  /// Rejects auctions beyond the limits.
  package func mutate(action: Action) -> Observable<Mutation> {
    guard action.texts.allSatisfy({ $0.utf8.count <= State.textLimit }) else {
      return .error(LongText())
    }
    switch action {
    case .list(let id, let item):
      let listing = Listing(id: id, item: item)
      let open = currentState.open
      guard open.count < State.openLimit, (open + [listing]).fits(State.openBytes) else {
        return .error(LobbyFull())
      }
      return .just(.add(listing))
    case .close(_, let sale): return .just(.sell(sale))
    }
  }

  /// Moves an auction from the open ones to the sales.
  package func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    // After a crash the end of an auction may arrive before its beginning.
    case .add(let listing):
      if !state.sold.contains(where: { $0.id == listing.id }) { state.open.append(listing) }
    case .sell(let sale):
      state.open.removeAll { $0.id == sale.id }
      state.sold = (state.sold + [sale]).suffix(State.saleLimit)
      state.sold.removeFirst(beyond: State.saleBytes)
    }
    return state
  }
}

extension LobbyReactor.Listing: JSONSized {
  func jsonSize(_ size: (String) -> Int) -> Int { size(id) + size(item) + 32 }
}

extension LobbyReactor.Sale: JSONSized {
  func jsonSize(_ size: (String) -> Int) -> Int {
    size(id) + size(item) + size(winner ?? "") + 64
  }
}

extension LobbyReactor.Action {
  fileprivate var texts: [String] {
    switch self {
    case .list(let id, let item): [id, item]
    case .close(let id, let sale): [id, sale.id, sale.item, sale.winner ?? ""]
    }
  }
}

private struct LongText: ActionError {
  var status: Int { 422 }
  var title: String { "A text has at most \(LobbyReactor.State.textLimit) bytes" }
}

private struct LobbyFull: ActionError {
  var status: Int { 409 }
  var title: String { "Too many auctions are open" }
}
