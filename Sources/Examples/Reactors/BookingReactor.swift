package import ReactorCore
package import ReactorHost
internal import ReactorLog

/// A service that charges cards.
package protocol CardBank: Sendable {
  /// Charges an amount once per key: a repetition has the outcome of the first request with the key.
  ///
  /// - Returns: The number of the receipt, or the error ``CardDeclined``.
  func charge(_ amount: Int, card: String, key: String) -> Observable<String>
}

/// The error of a card that does not pay.
package struct CardDeclined: Error {
  /// Creates the error.
  package init() {}
}

extension SimulatedBank: CardBank {
  /// Emits a receipt that is the same for the same key, and declines the card `empty`.
  package func charge(_ amount: Int, card: String, key: String) -> Observable<String> {
    .run { [latency] send in
      try await Task.sleep(for: latency)
      guard card != "empty" else { throw CardDeclined() }
      send("C-\(key)")
    }
  }
}

/// A booking of seats: it holds them in a hall, charges a card before a deadline, and sells or releases them.
///
/// A crash at any moment loses neither seats nor money: the action runs again, its send has the same key,
/// and the bank gets the same key for the same charge.
package final class BookingReactor: Reactor {
  /// The actions of clients, and that of the timer.
  package enum Action: Codable, Sendable {
    case hold(seats: [Int], hall: String)
    case pay(card: String)
    case cancel
    case own(Own)

    /// The actions of the booking itself.
    package enum Own: InternalAction { case expire }
  }

  /// The changes of the state.
  package enum Mutation: Codable, Sendable {
    case requested(seats: [Int], hall: String, until: WallTime)
    case rejected
    case held
    case charging
    case declined
    case paid(receipt: String)
    case released(Phase)
  }

  /// The phases of a booking.
  package enum Phase: String, Codable, Sendable {
    /// The hall has not responded to `hold` in phase `requested`, and the bank not in phase `charging`.
    case new, requested, held, charging, paid, expired, cancelled
  }

  /// The seats, and what is paid for them.
  package struct State: Codable, Equatable, Sendable {
    /// The price of a seat.
    static let price = 30

    /// The maximum number of seats.
    static let seatLimit = 8

    /// The time in which the seats have to be paid.
    static let deadline = Duration.seconds(600)

    var phase = Phase.new
    var hall: String?
    var seats: [Int] = []
    var until: WallTime?

    /// The number of charges that the bank has declined.
    var declined = 0

    var receipt: String?
  }

  /// No seats.
  package let initialState = State()

  private let context: SessionContext<NoParameters>
  private let bank: any CardBank
  /// The effect of this instance that is charging the card.
  private let charging = ExclusiveStream()

  /// Creates the booking of a session.
  package init(_ context: SessionContext<NoParameters>, bank: any CardBank) {
    (self.context, self.bank) = (context, bank)
  }

  private var isRepetition: Bool { RequestContext.current?.isRepetition == true }

  private func hall(_ id: String) -> SessionReference<HallReactor> {
    context.session(HallReactor.self, "hall", id)
  }

  /// Holds the seats, pays for them, or releases them.
  package func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .hold(let seats, let id): hold(seats, in: id)
    case .pay(let card): pay(card)
    case .cancel: release(as: .cancelled, from: [.held])
    case .own(.expire): release(as: .expired, from: [.requested, .held])
    }
  }

  /// Schedules the deadline, and holds the seats in the hall.
  ///
  /// After a crash the action runs again in the phase in which its last mutation has left the booking.
  private func hold(_ seats: [Int], in id: String) -> Observable<Mutation> {
    let request = Observable<Mutation>.concat([
      hall(id).sendOnly(.own(.hold(seats: seats, for: context.session.id))), .just(.held),
    ])
    .catch { .concat([.just(.rejected), .unschedule(id: "deadline"), .error($0)]) }
    switch currentState.phase {
    case .new:
      guard (1...State.seatLimit).contains(seats.count), id.utf8.count <= 128 else {
        return .error(Rejection.invalidRequest)
      }
      let until = WallTime.now + State.deadline
      return .concat([
        schedule(.own(.expire), at: until, id: "deadline"),
        .just(.requested(seats: seats, hall: id, until: until)), request,
      ])
    case .requested where isRepetition: return request
    case _ where isRepetition: return .empty()
    default: return .error(Rejection.hasSeats)
    }
  }

  /// Charges the card, and sells the seats.
  ///
  /// An action that was interrupted calls the bank again, and so does another `pay` after a charge whose
  /// outcome is unknown: only the bank's response ends this phase, not the deadline.
  private func pay(_ card: String) -> Observable<Mutation> {
    let state = currentState
    guard let id = state.hall, !charging.isRunning, (1...100).contains(card.utf8.count) else {
      return .error(charging.isRunning ? Rejection.isCharging : .invalidRequest)
    }
    let sale: Observable<Mutation> = .concat([
      .unschedule(id: "deadline"), hall(id).sendOnly(.own(.sell(context.session.id))),
    ])
    guard let until = state.until else { return .error(Rejection.isOver) }
    // The bank is called in these phases only.
    var payment: Observable<Mutation> { charge(card, until).concat(sale) }
    switch state.phase {
    case .held where WallTime.now < until:
      return charging.track(.concat(.just(.charging), payment))
    case .charging: return charging.track(payment)
    case .paid where isRepetition: return sale
    default: return .error(Rejection.isOver)
    }
  }

  /// Calls the bank.
  ///
  /// The key follows from the State before the charge. The bank can be called before `charging` is durable:
  /// if the process ends then, the client's next request, with another id, must have the same key.
  ///
  /// A declined card leaves the seats held until the deadline, which may have passed.
  private func charge(_ card: String, _ until: WallTime) -> Observable<Mutation> {
    let state = currentState
    let key = "\(context.session)/\(until.milliseconds)/\(state.declined)"
    let refusal: Observable<Mutation> = .concat([
      schedule(.own(.expire), at: until, id: "deadline"), .just(.declined),
      .error(Rejection.isDeclined),
    ])
    return bank.charge(state.seats.count * State.price, card: card, key: key)
      .map { .paid(receipt: $0) }
      .catch { $0 is CardDeclined ? refusal : .error($0) }
  }

  /// Ends the booking, and releases the seats.
  private func release(as end: Phase, from phases: [Phase]) -> Observable<Mutation> {
    guard let id = currentState.hall else { return .error(Rejection.isOver) }
    let release: Observable<Mutation> = .concat([
      .unschedule(id: "deadline"), hall(id).sendOnly(.own(.release(context.session.id))),
    ])
    switch currentState.phase {
    case let phase where phases.contains(phase):
      return .concat(.just(.released(end)), release)
    case end where isRepetition: return release
    // The deadline of a charge: the response of the bank decides.
    default: return end == .expired ? .empty() : .error(Rejection.isOver)
    }
  }

  /// Changes the phase.
  package func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .requested(let seats, let hall, let until):
      (state.phase, state.seats, state.hall, state.until) = (.requested, seats, hall, until)
    // The deadline can have ended the booking before the hall responded.
    case .rejected: if state.phase == .requested { state = State() }
    case .held: if state.phase == .requested { state.phase = .held }
    case .charging: state.phase = .charging
    case .declined: (state.phase, state.declined) = (.held, state.declined + 1)
    case .paid(let receipt): (state.phase, state.receipt) = (.paid, receipt)
    case .released(let end): state.phase = end
    }
    return state
  }

  enum Rejection: ActionError, Codable {
    case hasSeats, invalidRequest, isCharging, isDeclined, isOver

    var status: Int {
      switch self {
      case .hasSeats, .isCharging, .isOver: 409
      case .invalidRequest: 422
      case .isDeclined: 402
      }
    }

    var title: String {
      switch self {
      case .hasSeats: "The booking has seats"
      case .invalidRequest: "A booking holds 1 to \(State.seatLimit) seats, then a card pays them"
      case .isCharging: "The card is being charged"
      case .isDeclined: "The card is declined"
      case .isOver: "The booking does not hold seats any more"
      }
    }
  }
}
