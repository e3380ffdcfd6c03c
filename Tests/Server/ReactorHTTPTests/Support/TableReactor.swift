import ReactorCore
import ReactorHost
import ReactorStreams

/// A card table whose players see their own hand only.
///
/// The seats are in the State.
final class TableReactor: Reactor {
  enum Action: Codable, Sendable {
    case seat(String, Int)
    case dismiss(String)
    case deal(Int, String)
    case bet(Int)
    case open(Bool)
    /// A secret that no view has.
    case mark(String)
    case batch([Mutation])
    case hold(String)
    case fail(String)
  }

  enum Mutation: Codable, Sendable {
    case seat(String, Int)
    case dismiss(String)
    case deal(Int, String)
    case bet(Int)
    case open(Bool)
    case mark(String)
  }

  struct State: Codable, Sendable {
    var seats: [String: Int] = [:]
    var hands: [String: String] = [:]
    var pot = 0
    var isPublic = false
    var mark = "none"
    /// A value that JSON does not have makes the view of this seat fail.
    var brokenSeat = 13
  }

  struct View: Codable, Sendable {
    var pot: Int
    var players: Int
    var hand: String?
    var odds: Double
  }

  struct Mishap: Error {}

  let initialState = State()
  private let effect: Observable<Mutation>

  init(effect: Observable<Mutation> = .never()) {
    self.effect = effect
  }

  static let projection = Projection {
    (viewer: Viewer, state: State) throws -> Audience<Int?> in
    if viewer.id == "unlucky" { throw Mishap() }
    if let seat = state.seats[viewer.id ?? ""] { return .sees(seat) }
    return state.isPublic ? .sees(nil) : .nothing
  } view: { state, seat in
    View(
      pot: state.pot, players: state.seats.count, hand: seat.flatMap { state.hands["\($0)"] },
      odds: seat == state.brokenSeat ? .nan : 0.5)
  }

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .seat(let name, let seat): .just(.seat(name, seat))
    case .dismiss(let name): .just(.dismiss(name))
    case .deal(let seat, let card): .just(.deal(seat, card))
    case .bet(let amount): .just(.bet(amount))
    case .open(let isPublic): .just(.open(isPublic))
    case .mark(let text): .just(.mark(text))
    case .batch(let mutations): .from(mutations)
    case .hold: effect
    case .fail: .error(Mishap())
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .seat(let name, let seat): state.seats[name] = seat
    case .dismiss(let name): state.seats[name] = nil
    case .deal(let seat, let card): state.hands["\(seat)"] = card
    case .bet(let amount): state.pot += amount
    case .open(let isPublic): state.isPublic = isPublic
    case .mark(let text): state.mark = text
    }
    return state
  }
}
