package import ReactorCore

/// The seats of a performance, which bookings hold, release and sell.
///
/// Each action of a booking can arrive again, if an operator runs a failed one again: it then changes nothing.
package final class HallReactor: Reactor {
  /// The actions, all of which are those of bookings.
  package enum Action: Codable, Sendable {
    case own(Own)

    /// The actions of bookings, by the id of the booking.
    package enum Own: InternalAction {
      case hold(seats: [Int], for: String)
      case release(String)
      case sell(String)
    }
  }

  /// The changes of the state.
  package enum Mutation: Codable, Sendable {
    case held(seats: [Int], for: String)
    case released(String)
    case sold(String)
  }

  /// A seat.
  package struct Seat: Codable, Equatable, Sendable {
    /// The id of the booking that has the seat.
    var booking: String?

    var isSold = false
  }

  /// The seats.
  package struct State: Codable, Equatable, Sendable {
    /// The number of seats, which have the numbers from 1.
    static let seatCount = 20

    var seats = Array(repeating: Seat(), count: seatCount)
  }

  /// Free seats.
  package let initialState = State()

  /// Creates a hall.
  package init() {}

  /// Holds seats if all of them are free.
  package func mutate(action: Action) -> Observable<Mutation> {
    let seats = currentState.seats
    switch action {
    case .own(.hold(let numbers, let booking)):
      guard Set(numbers).count == numbers.count,
        !numbers.isEmpty, numbers.allSatisfy({ (1...seats.count).contains($0) })
      else { return .error(Rejection.noSuchSeats) }
      guard numbers.contains(where: { seats[$0 - 1].booking != booking }) else { return .empty() }
      let taken = numbers.filter { seats[$0 - 1].booking != nil }
      guard taken.isEmpty else { return .error(Rejection.isTaken(seats: taken)) }
      return .just(.held(seats: numbers, for: booking))
    case .own(.release(let booking)):
      let isHeld = seats.contains { $0.booking == booking && !$0.isSold }
      return isHeld ? .just(.released(booking)) : .empty()
    case .own(.sell(let booking)):
      let isHeld = seats.contains { $0.booking == booking && !$0.isSold }
      return isHeld ? .just(.sold(booking)) : .empty()
    }
  }

  /// Changes the seats of a booking.
  package func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .held(let numbers, let booking):
      for number in numbers { state.seats[number - 1].booking = booking }
    case .released(let booking):
      for index in state.seats.indices where state.seats[index].booking == booking {
        state.seats[index] = Seat()
      }
    case .sold(let booking):
      for index in state.seats.indices where state.seats[index].booking == booking {
        state.seats[index].isSold = true
      }
    }
    return state
  }

  enum Rejection: ActionError, Codable, Equatable {
    case noSuchSeats, isTaken(seats: [Int])

    var status: Int {
      switch self {
      case .noSuchSeats: 422
      case .isTaken: 409
      }
    }

    var title: String {
      switch self {
      case .noSuchSeats: "The hall has seats 1 to \(State.seatCount)"
      case .isTaken: "A seat is taken"
      }
    }
  }
}
