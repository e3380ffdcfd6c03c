import Foundation
import Synchronization
import Testing

/// A service under mixed load, and the expected values of its sessions.
final class Soak: Sendable {
  let server: ReactordProcess
  /// The number of counter sessions that are never ended.
  static let steadySessions = 4

  private let listening: ProcessFigures
  private let totals = Mutex(Array(repeating: Total(), count: steadySessions))

  /// The acknowledged actions of a session.
  private struct Total {
    var actions = 0
    var sum = 0
  }

  /// Creates the load for a service that has just started.
  init(_ server: ReactordProcess) throws {
    self.server = server
    listening = try ProcessFigures(of: server.process)
    for number in 0..<Self.steadySessions { try steady(number).put().expect(201, to: "PUT") }
  }

  var actions: Int { totals.withLock { $0.reduce(0) { $0 + $1.actions } } }

  /// Runs all kinds of clients for a duration, and waits until all of them have ended.
  func round(_ time: Duration) throws {
    let deadline = ContinuousClock.now + time
    let kinds: [@Sendable (Soak, ContinuousClock.Instant) throws -> Void] = [
      { try $0.write(until: $1) }, { try $0.write(until: $1) },
      { try $0.watch(until: $1) }, { try $0.replay(until: $1) },
      { try $0.watchSeveral(until: $1) },
      { try $0.readSlowly(until: $1) }, { try $0.crowd(until: $1) },
      { try $0.makeAndEnd("a", until: $1) }, { try $0.makeAndEnd("b", until: $1) },
      { try $0.runEffects(until: $1) }, { try $0.passBy(until: $1) },
    ]
    _ = try concurrently(kinds.count) { try kinds[$0](self, deadline) }
  }

  /// Returns the resources of the service after it has detected that all clients have disconnected.
  func figuresAtRest() throws -> ProcessFigures {
    var figures = try ProcessFigures(of: server.process)
    let isAtRest = try eventually {
      figures = try ProcessFigures(of: server.process)
      return figures.sockets <= listening.sockets
    }
    guard isAtRest else {
      throw SoakFailure("\(figures.sockets) sockets at rest, \(listening.sockets) at first")
    }
    return figures
  }

  /// Compares the sessions with the acknowledged actions.
  func checkTotals() throws {
    for (number, total) in totals.withLock({ $0 }).enumerated() {
      let response = try steady(number).state()
      #expect(response.cursor?.version == total.actions)
      #expect(try response.json == ["value": .number(Double(total.sum))])
    }
  }

  func note(_ number: Int, actions: Int, sum: Int) {
    totals.withLock {
      $0[number].actions += actions
      $0[number].sum += sum
    }
  }

  func session(_ id: String, of reactor: String = "counter") -> SessionClient {
    SessionClient(server.client(), "/v1/reactors/\(reactor)/sessions/\(id)")
  }

  func steady(_ number: Int = .random(in: 0..<steadySessions)) -> SessionClient {
    session("steady-\(number)")
  }
}

/// An unexpected result.
struct SoakFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

extension HTTPResponse {
  /// Expects a status.
  @discardableResult
  func expect(_ statuses: Int..., to purpose: String) throws -> HTTPResponse {
    guard statuses.contains(status) else {
      throw SoakFailure("\(status) to \(purpose) instead of \(statuses): \(text)")
    }
    return self
  }
}
