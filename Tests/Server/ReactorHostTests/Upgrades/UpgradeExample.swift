import ReactorCore
import ReactorHost

struct Card: Codable, Sendable, DecodingDefaults {
  var id: String
  var name: String
  var labels: [String] = []

  static var decodingDefaults: MemberDefaults<Card> {
    MemberDefaults("labels", of: Card(id: "", name: ""))
  }
}

enum Change: Codable, Sendable {
  case put(Card)
  case remind(card: String, times: Int)
  case nothing
}

let upgrade: JSONUpgrade = [
  .renaming("title", to: "name", in: "put"),
  .replacing(case: "remind") { old in
    old["card"] != nil
      ? ["remind": old] : ["remind": ["card": old["id"] ?? .null, "times": 1]]
  },
  .replacing(case: "dropped", with: "nothing"),
]

final class Board: Reactor {
  typealias Action = Change
  typealias Mutation = Change

  struct State: Codable, Sendable {
    var cards: [Card] = []
    var reminders = 0
  }

  let initialState = State()

  func mutate(action: Change) -> Observable<Change> { .just(action) }

  func reduce(state: State, mutation: Change) -> State {
    var state = state
    switch mutation {
    case .put(let card): state.cards.append(card)
    case .remind(_, let times): state.reminders += times
    case .nothing: break
    }
    return state
  }

  static var registration: ReactorRegistration {
    ReactorRegistration(
      "board", summary: "A board", upgradeMutation: upgrade, upgradeAction: upgrade,
      upgradeState: .renaming("cards/*/title", to: "name")
    ) { Board() }
  }
}
