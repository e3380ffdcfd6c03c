import Brokers
import Foundation
import Glibc
import NATSClient
import Testing

/// Restarts of the tests' brokers.
struct BrokerRestartTests {
  @Test func `a broker that panics is started again with its port`() throws {
    let broker = try Broker()
    let id = try #require(broker.id)
    // A Go program that does not handle SIGQUIT exits with the status of a panic.
    #expect(kill(id, SIGQUIT) == 0)
    let deadline = ContinuousClock.now + .seconds(60)
    while broker.id == id, ContinuousClock.now < deadline { usleep(10_000) }
    #expect(broker.id != id)
    try broker.waitUntilReady()
    let connection = try NATSConnection(
      .init(try #require(NATSAddresses(broker.url)), name: "test"))
    #expect(connection.maximumPayload == 8_388_608)
  }

  @Test func `a broker that a test has ended stays ended`() throws {
    let broker = try Broker()
    broker.kill()
    #expect(broker.id == nil)
    try broker.start()
    try broker.waitUntilReady()
    broker.stop()
    #expect(broker.id == nil)
  }
}
