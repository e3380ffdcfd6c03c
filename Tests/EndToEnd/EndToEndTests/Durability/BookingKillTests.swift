import Foundation
import Synchronization
import Testing

/// Bookings that are killed while they hold seats, charge cards and sell: each seat has one booking, and each
/// card is charged exactly what its booking has paid.
@Suite(.blocking) struct BookingKillTests {
  /// The number of kills; `make test-faults` sets it to 500.
  private static let rounds =
    ProcessInfo.processInfo.environment["FAULT_ROUNDS"].flatMap { Int($0) }.map { $0 * 5 / 2 } ?? 10
  /// The number of kills per hall: an action that is interrupted ten times is given up.
  private static let killsPerHall = 5
  private static let bookingsPerRound = 6

  /// A booking as its client knows it.
  private struct Booking: Sendable {
    let id: String
    let hall: String
    let steps: [String]
    /// The number of the steps with a response.
    var done = 0

    init(_ id: String, in hall: String) {
      (self.id, self.hall) = (id, hall)
      let seats = (1...20).shuffled().prefix(.random(in: 1...3))
      let last = [
        #"{"pay":{"card":"visa"}}"#, #"{"pay":{"card":"visa"}}"#, #"{"pay":{"card":"empty"}}"#,
        #""cancel""#,
      ].randomElement()
      steps = [#"{"hold":{"seats":\#(Array(seats)),"hall":"\#(hall)"}}"#, last ?? ""]
    }

    var path: String { "/v1/reactors/booking/sessions/\(id)" }
  }

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func serve() throws -> ReactordProcess {
    try ReactordProcess(
      ["--store", "sqlite:\(folder["log.db"])", "--sessions-idle", "0.3"], program: "faulty",
      environment: ["BANK_FILE": folder["bank"]])
  }

  @Test func `seats and money are exact over kills`() throws {
    var (bookings, checked, paid): ([Booking], Int, Int) = ([], 0, 0)
    for round in 0..<Self.rounds {
      let server = try serve()
      if round > 0, round % Self.killsPerHall == 0 {
        paid += try check(&bookings[checked...], server)
        checked = bookings.count
      }
      bookings += (0..<Self.bookingsPerRound).map {
        Booking("b-\(round)-\($0)", in: "h-\(round / Self.killsPerHall)")
      }
      let left = Atomic(Int.random(in: 1...12))
      let open = Array(bookings[checked...])
      let continued = try concurrently(open.count) { index in
        var booking = open[index]
        while Self.step(&booking, server) {
          if left.subtract(1, ordering: .relaxed).newValue == 0 { server.process.kill() }
        }
        return booking
      }
      bookings.replaceSubrange(checked..., with: continued)
      server.process.kill()
      try server.process.wait()
    }
    let server = try serve()
    paid += try check(&bookings[checked...], server)
    try server.stop()
    printNow("bookings: \(Self.rounds) kills, \(bookings.count) bookings, \(paid) paid")
  }

  /// Sends the next step; returns `false` after the last one, or the end of the process.
  private static func step(_ booking: inout Booking, _ server: ReactordProcess) -> Bool {
    guard booking.done < booking.steps.count else { return false }
    let session = SessionClient(server.client(), booking.path)
    guard
      let response = try? session.post(
        booking.steps[booking.done], ["Idempotency-Key": "\"\(booking.done)\""])
    else { return false }
    // A seat can be taken, a card declined, or there is nothing to pay or to cancel.
    #expect([200, 402, 409, 422].contains(response.status), "\(response.text)")
    booking.done += 1
    return true
  }

  /// Completes bookings, and compares them with their hall and their charges.
  ///
  /// - Returns: The number of paid bookings.
  private func check(_ bookings: inout ArraySlice<Booking>, _ server: ReactordProcess) throws -> Int
  {
    var seats: [Int: (booking: String, isSold: Bool)] = [:]
    var charges: [String: Int] = [:]
    for index in bookings.indices {
      while Self.step(&bookings[index], server) {}
      let booking = bookings[index]
      let session = SessionClient(server.client(), booking.path)
      try #require(eventually { try session.effects().isEmpty }, "\(booking.id)")
      let state = try session.state().json
      let phase = try #require(state["phase"]?.string)
      #expect(["new", "held", "paid", "cancelled"].contains(phase), "\(booking.id) is \(phase)")
      let numbers = state["seats"]?.array?.compactMap(\.int) ?? []
      guard ["held", "paid"].contains(phase) else { continue }
      for seat in numbers {
        #expect(seats[seat] == nil, "seat \(seat) of \(booking.hall) has two bookings")
        seats[seat] = (booking.id, phase == "paid")
      }
      if phase == "paid" { charges[booking.id] = 30 * numbers.count }
    }
    let hall = try #require(bookings.first).hall
    let state = try server.client().get("/v1/reactors/hall/sessions/\(hall)/state").json
    for (index, seat) in try #require(state["seats"]?.array).enumerated() {
      #expect(seat["booking"]?.string == seats[index + 1]?.booking, "seat \(index + 1) of \(hall)")
      #expect(seat["isSold"] == .bool(seats[index + 1]?.isSold ?? false))
    }
    let ids = Set(bookings.map(\.id))
    #expect(try charged(of: ids) == charges)
    return charges.count
  }

  /// Reads the sums of the charges from the bank's file, by booking.
  private func charged(of ids: Set<String>) throws -> [String: Int] {
    guard let text = try? String(contentsOfFile: folder["bank"], encoding: .utf8) else {
      return [:]
    }
    var sums: [String: Int] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      let id = words[0].split(separator: "/")[1]
      if ids.contains(String(id)) { sums[String(id), default: 0] += try #require(Int(words[1])) }
    }
    return sums
  }
}
