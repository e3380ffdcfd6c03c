import Glibc
import Testing

/// SIGTERM during writes and reads, and the contents of the store afterwards.
@Suite(.blocking) struct DrainUnderLoadTests {
  private static let path = "/v1/reactors/counter/sessions/drained"
  private static let writers = 8
  private static let readers = 4

  @Test(arguments: [100, 1000])
  func `the log contains the acknowledged actions, and every stream gets a closing event`(
    actions: Int
  ) throws {
    let folder = try TemporaryFolder()
    let store = "sqlite:\(folder["log.db"])"
    let server = try ReactordProcess("--store", store)
    // The streams are opened before the load, so that each receives all of its events.
    let acknowledged = Watched(0)
    let isWatched = Watched(0)
    let port = server.port
    let outcomes = try concurrently(Self.writers + Self.readers + 1) { index in
      switch index {
      case 0..<Self.writers:
        _ = isWatched.first(within: .seconds(1200)) { $0 == Self.readers ? true : nil }
        return Outcome(
          numbers: Self.write(port, from: index * 1_000_000) { acknowledged.change { $0 += 1 } })
      case Self.writers:
        _ = acknowledged.first(within: .seconds(1200)) { $0 >= actions ? true : nil }
        server.process.signal(SIGTERM)
        return Outcome()
      default:
        let stream = try EventStream(port: port, Self.path + "/events?replay=all")
        isWatched.change { $0 += 1 }
        return Outcome(events: try Self.read(stream))
      }
    }
    #expect(try server.process.wait() == .code(0))

    let next = try ReactordProcess("--store", store)
    let logged = try Self.log(next)
    for (writer, outcome) in outcomes[..<Self.writers].enumerated() {
      #expect(logged.filter { $0 / 1_000_000 == writer } == outcome.numbers)
    }
    #expect(logged.count == acknowledged.current)
    #expect(logged.count >= actions)
    for events in outcomes[(Self.writers + 1)...].map(\.events) {
      #expect(events.last?.event == "draining")
      let versions = events.dropLast().compactMap(\.cursor?.version)
      #expect(versions == Array(0..<versions.count))
      #expect(versions.count <= logged.count + 1)
    }
    let state = try SessionClient(next.client(), Self.path).state()
    #expect(state.text == #"{"value":\#(logged.reduce(0, +))}"#)
  }

  private struct Outcome {
    /// The acknowledged numbers of a writer.
    var numbers: [Int] = []
    /// The events of a reader.
    var events: [ServerSentEvent] = []
  }

  /// Posts consecutive numbers until the service rejects one.
  private static func write(
    _ port: UInt16, from first: Int, acknowledged: () -> Void
  ) -> [Int] {
    let session = SessionClient(HTTPClient(port: port), path)
    var numbers: [Int] = []
    while let response = try? session.post(#"{"add":\#(first + numbers.count)}"#) {
      guard response.status == 200 else {
        #expect(response.status == 503)
        break
      }
      numbers.append(first + numbers.count)
      acknowledged()
    }
    return numbers
  }

  /// Reads up to the last chunk; the end of the connection alone is an error.
  private static func read(_ stream: EventStream) throws -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    while let event = try stream.nextEvent(within: .seconds(1200)) { events.append(event) }
    return events
  }

  /// The numbers in the log, in order.
  private static func log(_ server: ReactordProcess) throws -> [Int] {
    let session = SessionClient(server.client(), path)
    var numbers: [Int] = []
    var page: String? = session.path + "/log?limit=1000"
    while let path = page {
      let response = try session.client.get(path)
      for entry in try response.json.array ?? [] {
        numbers.append(try #require(entry["action"]?["add"]?.int))
      }
      page = response.nextPage
    }
    return numbers
  }
}
