import ReactorClient
import ReactorCore
import ReactorHost
import ReactorTestingHost
import Synchronization
import Testing

@testable import Reactors

/// The shipped booking: seats in another session, a deadline, and a bank that is called again after a crash.
@Suite(.timeLimit(.minutes(60))) struct BookingTests {
  /// A bank that charges each key once.
  ///
  /// It responds to a request if `responds` is set, and never otherwise.
  private final class LedgerBank: CardBank {
    private let charges = Mutex<[(key: String, amount: Int)]>([])
    let responds = Mutex(true)
    let requests = Mutex(0)

    /// The amounts, in the order of their keys' first requests.
    var amounts: [Int] { charges.withLock { $0.map(\.amount) } }

    func charge(_ amount: Int, card: String, key: String) -> Observable<String> {
      guard card != "empty" else { return .error(CardDeclined()) }
      charges.withLock { charges in
        if !charges.contains(where: { $0.key == key }) { charges.append((key, amount)) }
      }
      requests.withLock { $0 += 1 }
      return responds.withLock { $0 } ? .just("C-\(key)") : .never()
    }
  }

  private let bank = LedgerBank()
  private let service: TestService
  private let hall: RemoteReactor<HallReactor>

  init() {
    service = TestService([
      ReactorRegistration("booking", summary: "") { [bank] in BookingReactor($0, bank: bank) },
      ReactorRegistration("hall", summary: "") { HallReactor() },
    ])
    hall = service.server().reactor(HallReactor.self, "hall", session: "evening")
  }

  private func booking(_ id: String) -> RemoteReactor<BookingReactor> {
    service.server().reactor(BookingReactor.self, "booking", session: id)
  }

  /// The bookings of the seats that are taken, and a mark of those that are sold.
  private func seats() async throws -> [Int: String] {
    var taken: [Int: String] = [:]
    for (index, seat) in try await hall.state().seats.enumerated() {
      if let booking = seat.booking { taken[index + 1] = booking + (seat.isSold ? " sold" : "") }
    }
    return taken
  }

  /// Waits for the seats: no client waits for the send of a timer.
  private func expectSeats(_ expected: [Int: String]) async throws {
    for _ in 0..<20_000 {
      if try await seats() == expected { return }
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(try await seats() == expected)
  }

  @Test func `seats are held, paid and sold`() async throws {
    let ada = booking("ada")
    #expect(
      try await ada.send(.hold(seats: [1, 2], hall: "evening"), expecting: .effects).phase == .held)
    #expect(try await seats() == [1: "ada", 2: "ada"])
    #expect(try await ada.send(.pay(card: "visa"), expecting: .effects).phase == .paid)
    #expect(try await seats() == [1: "ada sold", 2: "ada sold"])
    #expect(bank.amounts == [60])
    await service.advance(by: .seconds(86_400))
    #expect(try await ada.state().phase == .paid)
  }

  @Test func `a seat has one booking, and the other one can hold others`() async throws {
    _ = try await booking("ada").send(.hold(seats: [1, 2], hall: "evening"), expecting: .effects)
    let bob = booking("bob")
    do {
      _ = try await bob.send(.hold(seats: [2, 3], hall: "evening"), expecting: .effects)
      Issue.record("held")
    } catch {
      #expect(error.rejection(as: HallReactor.Rejection.self) == .isTaken(seats: [2]))
    }
    #expect(
      try await bob.send(.hold(seats: [3], hall: "evening"), expecting: .effects).phase == .held)
    #expect(try await seats() == [1: "ada", 2: "ada", 3: "bob"])
  }

  @Test func `the hall's id is checked as that of a client`() async throws {
    do {
      _ = try await booking("ada").send(.hold(seats: [1], hall: "bad id"), expecting: .effects)
      Issue.record("held")
    } catch {
      #expect(error.status == 400 && error.kind.rawValue == "invalid-session-id")
    }
    #expect(try await booking("ada").state() == BookingReactor.State())
  }

  @Test func `seats that are not paid in time are released, also after a crash`() async throws {
    let ada = booking("ada")
    _ = try await ada.send(.hold(seats: [1], hall: "evening"), expecting: .effects)
    await service.advance(by: .seconds(599))
    await service.crash()
    #expect(try await ada.state().phase == .held)
    await service.advance(by: .seconds(1))
    #expect(try await ada.state().phase == .expired)
    try await expectSeats([:])
    await #expect(throws: (any Error).self) {
      try await ada.send(.pay(card: "visa"), expecting: .effects)
    }
    #expect(bank.amounts == [])
  }

  @Test func `a declined card leaves the seats until the deadline, or until another card pays`()
    async throws
  {
    for (id, card) in [("ada", "visa"), ("bob", "empty")] {
      let booking = booking(id)
      _ = try await booking.send(
        .hold(seats: [id == "ada" ? 1 : 2], hall: "evening"), expecting: .effects)
      do {
        _ = try await booking.send(.pay(card: "empty"), expecting: .effects)
        Issue.record("paid")
      } catch {
        #expect(error.rejection(as: BookingReactor.Rejection.self) == .isDeclined)
      }
      #expect(try await booking.state().phase == .held)
      _ = try? await booking.send(.pay(card: card), expecting: .effects)
    }
    #expect(try await seats() == [1: "ada sold", 2: "bob"])
    await service.advance(by: .seconds(600))
    try await expectSeats([1: "ada sold"])
    #expect(bank.amounts == [30])
  }

  @Test func `a service that is killed while it charges charges once, and sells`() async throws {
    let ada = booking("ada")
    _ = try await ada.send(.hold(seats: [1, 2, 3], hall: "evening"), expecting: .effects)
    bank.responds.withLock { $0 = false }
    async let paid = ada.send(.pay(card: "visa"), expecting: .effects)
    while bank.requests.withLock({ $0 }) == 0 { await Task.yield() }
    // The deadline passes: only the bank's response decides.
    await service.advance(by: .seconds(601))
    bank.responds.withLock { $0 = true }
    await service.crash()
    #expect(try await paid.phase == .paid)
    #expect(try await seats() == [1: "ada sold", 2: "ada sold", 3: "ada sold"])
    #expect(bank.amounts == [90] && bank.requests.withLock { $0 } == 2)
  }

  @Test func `a booking that is cancelled releases its seats`() async throws {
    let ada = booking("ada")
    _ = try await ada.send(.hold(seats: [20], hall: "evening"), expecting: .effects)
    #expect(try await ada.send(.cancel, expecting: .effects).phase == .cancelled)
    #expect(try await seats() == [:])
    _ = try await booking("bob").send(.hold(seats: [20], hall: "evening"), expecting: .effects)
    #expect(try await seats() == [20: "bob"])
  }
}
