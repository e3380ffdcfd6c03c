import ReactorCore
import ReactorHost

/// A purse that transfers money to other purses, so that the sum of all purses shows whether a transfer
/// was lost or doubled.
final class PurseReactor: Reactor {
  enum Action: Codable, Sendable {
    /// Transfers an amount; the number identifies the transfer.
    case pay(Int, amount: Int, to: String, by: Way)
    /// Transfers what a timer has been scheduled for, or receives an amount.
    case own(Own)

    enum Own: InternalAction {
      case deliver(Int)
      case receive(Int)
    }
  }

  /// How a purse sends.
  enum Way: String, Codable, Sendable {
    case send, sendOnly, named, afterCommit, timer, observe
  }

  enum Mutation: Codable, Sendable {
    case withdrawn(Int, Transfer)
    case completed(Int)
    case refunded(Int)
    case received(Int)
  }

  struct Transfer: Codable, Equatable, Sendable {
    var amount: Int
    var to: String
  }

  struct State: Codable, Equatable, Sendable {
    var balance = 1_000_000
    /// The transfers that have neither arrived nor failed, by their numbers.
    var open: [Int: Transfer] = [:]
    var completed = 0
    var refunded = 0
    var received = 0
    /// The greatest number of a transfer.
    var last = 0
  }

  let initialState = State()
  private let context: SessionContext<NoParameters>

  init(_ context: SessionContext<NoParameters>) { self.context = context }

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .own(.receive(let amount)): return .just(.received(amount))
    case .own(.deliver(let number)):
      guard let transfer = currentState.open[number] else { return .empty() }
      return deliver(number, transfer, by: .sendOnly)
    case .pay(let number, let amount, let id, let way):
      let transfer = Transfer(amount: amount, to: id)
      if RequestContext.current?.isRepetition == true, number <= currentState.last {
        // The first run has withdrawn the amount, and perhaps completed the transfer.
        guard currentState.open[number] != nil, way != .timer else { return .empty() }
        return deliver(number, transfer, by: way)
      }
      let withdrawal = Observable<Mutation>.just(.withdrawn(number, transfer))
      if way == .timer {
        return .concat(
          withdrawal, schedule(.own(.deliver(number)), at: .now, id: "transfer-\(number)"))
      }
      let delivery = deliver(number, transfer, by: way)
      return .concat(withdrawal, way == .afterCommit ? .afterCommit { delivery } : delivery)
    }
  }

  private func deliver(_ number: Int, _ transfer: Transfer, by way: Way) -> Observable<Mutation> {
    let purse = context.session(PurseReactor.self, "purse", transfer.to)
    let action = Action.own(.receive(transfer.amount))
    let sent: Observable<Mutation> =
      switch way {
      case .send: purse.send(action).flatMap { _ in Observable.empty() }
      case .named:
        context.session(named: "purse", transfer.to)
          .sendOnly(#"{"own":{"receive":\#(transfer.amount)}}"#)
      case .observe: .concat(purse.sendOnly(action), purse.state.take(1).flatMap { _ in .empty() })
      case .sendOnly, .afterCommit, .timer: purse.sendOnly(action)
      }
    return .concat(
      sent.catch { .concat(.just(.refunded(number)), .error($0)) }, .just(.completed(number)))
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .withdrawn(let number, let transfer):
      state.balance -= transfer.amount
      state.open[number] = transfer
      state.last = max(state.last, number)
    case .completed(let number):
      if state.open.removeValue(forKey: number) != nil { state.completed += 1 }
    case .refunded(let number):
      state.balance += state.open.removeValue(forKey: number)?.amount ?? 0
      state.refunded += 1
    case .received(let amount):
      state.balance += amount
      state.received += 1
    }
    return state
  }
}
