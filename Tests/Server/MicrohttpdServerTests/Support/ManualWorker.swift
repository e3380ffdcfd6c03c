internal import Glibc
internal import ReactorTransport
internal import Shares
internal import Synchronization
internal import SystemThreads
internal import Testing

@testable internal import MicrohttpdServer

/// A worker without a thread, with open idle streams and a manual clock.
final class ManualWorker {
  let streams: [TestStream]
  private let worker: StreamWorker
  private let clients: [Int32]

  /// Creates a worker.
  ///
  /// - Parameters:
  ///   - count: The number of streams.
  ///   - clientOf: The client of each stream, by its index.
  ///   - settings: The settings.
  ///   - limit: The bytes that the streams may hold before the largest is closed.
  /// - Throws: If there are no sockets.
  init(
    streams count: Int, of clientOf: (Int) -> TurnBudget.Entry? = { _ in nil },
    settings: MicrohttpdServer.Settings = .init(), unsent limit: Int = .max
  ) throws {
    streams = (0..<count).map { _ in TestStream() }
    var settings = settings
    settings.ledger = Ledger(memory: limit)
    let loop = try StreamLoop(
      settings: settings, openStreams: try #require(ActivityCount()))
    worker = loop.makeWorker()
    var clients: [Int32] = []
    for (index, stream) in streams.enumerated() {
      var ends: [Int32] = [-1, -1]
      guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
        throw TestFailure("no sockets")
      }
      clients.append(ends[0])
      loop.adopt(
        HandOff(
          socket: ends[1], head: [], stream: stream, isChunked: false, client: clientOf(index)))
    }
    self.clients = clients
    repeat { takeTurn() } while !worker.queue.isEmpty
    advanceClock()
  }

  deinit {
    worker.endAll()
    for client in clients { close(client) }
  }

  func takeEarlyTurn() { worker.takeEarlyTurn(at: worker.now) }

  func takeTurn() { worker.takeTurn(atMost: 64) }

  func advanceClock(by milliseconds: Int64 = 1) { worker.now += milliseconds }

  /// Handles the events of the sockets, without a change of the clock.
  func handleEvents() {
    let now = worker.now
    worker.handleEvents(waiting: 0)
    worker.now = now
  }

  /// Closes a client's end of its connection.
  func hangUp(_ index: Int) { shutdown(clients[index], Int32(SHUT_RDWR)) }

  /// The number of bytes that all slots hold, of open and of closed connections.
  var heldBytes: Int { worker.slots.reduce(0) { $0 + $1.connection.pending.count } }

  /// The time until the next timer is due, in milliseconds.
  var untilTimer: Int32 { worker.millisecondsUntilTimer() }

  /// The number of streams that were closed because their clients were too slow.
  var overdue: Int { worker.loop.overdue.load(ordering: .relaxed) }

  /// The number of streams that were ended to release memory.
  var endedStreams: Int { worker.ledger.ended(.events) }

  /// Receives bytes of one client; returns whether there were that many.
  func receive(_ count: Int, of index: Int) -> Bool {
    var bytes = [UInt8](repeating: 0, count: count)
    return recv(clients[index], &bytes, count, Int32(MSG_DONTWAIT)) == count
  }

  /// Returns the number of bytes that each client has received since the last call.
  func receivedSizes() -> [Int] {
    var bytes = [UInt8](repeating: 0, count: 200_000)
    return clients.map { client in
      var size = 0
      while true {
        let count = recv(client, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        guard count > 0 else { return size }
        size += count
      }
    }
  }

  /// Returns the bytes that each client has received since the last call.
  func received() -> [String] {
    clients.map { client in
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = recv(client, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
  }
}
