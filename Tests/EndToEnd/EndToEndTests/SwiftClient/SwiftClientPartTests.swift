import ClientCore
import Foundation
import ReactorClient
import Synchronization
import Testing

/// The Swift client: parts of sessions, and presence without their States.
@Suite(.blocking) struct SwiftClientPartTests {
  private let server: ReactordProcess
  private let client: ReactorServer

  init() throws {
    server = try ReactordProcess()
    client = try server.swiftClient()
  }

  private func chat() throws -> SessionClient {
    let room = server.session(of: "chat")
    try room.post(#"[{"join":"Ada"},{"send":{"from":"Ada","text":"secret"}}]"#)
    return room
  }

  private func members(of room: SessionClient) -> Observable<[String]> {
    client.part("/members", of: "chat", session: room.id, as: [String].self)
  }

  /// The bytes that the service has sent over streams.
  private func hasSent(_ text: String, to transport: RecordingTransport) -> Bool {
    String(decoding: transport.received, as: UTF8.self).contains(text)
  }

  @Test func `thirty parts share a stream that has nothing else of their States`() throws {
    let transport = try RecordingTransport(server)
    let client = ReactorServer(transport: transport)
    let rooms = try (0..<30).map { _ in try chat() }
    let parts = rooms.map { room in
      Recorder(client.part("/members", of: "chat", session: room.id, as: [String].self))
    }
    for part in parts { try part.last { $0 == ["Ada"] } }
    try rooms[8].post(#"{"send":{"from":"Ada","text":"secret"}}"#)
    for room in rooms { try room.post(#"{"join":"Ben"}"#) }
    for part in parts { try part.last { $0 == ["Ada", "Ben"] } }
    #expect(parts.allSatisfy { $0.all.count == 2 })
    #expect(!hasSent("secret", to: transport))
    // One stream after another, the last one of all rooms.
    #expect(transport.paths.last?.components(separatedBy: "&select=%2Fmembers").count == 31)
    client.close()
  }

  @Test func `presence needs nothing of the State, and ends with the session`() throws {
    let transport = try RecordingTransport(server)
    let client = ReactorServer(transport: transport)
    let room = try chat()
    let presence = Recorder(client.presence(of: "chat", session: room.id).materialize())
    try presence.last { $0.element?.count == 1 }
    let other = try room.events("?name=Ben")
    try presence.last { $0.element?.subscribers.map(\.name) == ["Ben"] }
    try room.post(#"{"join":"Ben"}"#)
    other.abort()
    try presence.last { $0.element?.count == 1 }
    #expect(!hasSent("Ada", to: transport))
    _ = try room.delete()
    try presence.last { ($0.error as? Problem)?.kind == .sessionEnded }
    client.close()
  }

  @Test func `parts and a reactor of one session are observed together`() async throws {
    let room = try chat()
    let members = Recorder(members(of: room))
    let second = Recorder(
      client.part("/members/1", of: "chat", session: room.id, as: String?.self))
    try members.last { $0 == ["Ada"] }
    try second.last { $0 == nil }
    do {
      let reactor = client.reactor(RemoteRoom.self, "chat", session: room.id)
      let states = Recorder(reactor.state)
      try states.last { $0.messages.count == 1 }
      #expect(try await reactor.send(.join("Ben")).members == ["Ada", "Ben"])
      try members.last { $0 == ["Ada", "Ben"] }
      try second.last { $0 == "Ben" }
      _ = try await reactor.send(.leave("Ben"))
    }
    try room.post(#"{"join":"Eve"}"#)
    try members.last { $0 == ["Ada", "Eve"] }
    try second.last { $0 == "Eve" }
    #expect(members.all.count <= 4)
  }

  @Test func `a text that is no pointer, and a value of another type, are problems`() throws {
    let room = try chat()
    let wrong = Recorder(
      client.part("members", of: "chat", session: room.id, as: Int.self).materialize())
    try wrong.first { ($0.error as? Problem)?.kind == .invalidParameter }
    let problems = Recorder(client.problems)
    let numbers = Recorder(client.part("/members", of: "chat", session: room.id, as: Int.self))
    try problems.first { $0.kind == .undecodable }
    #expect(numbers.all.isEmpty)
  }
}

/// The transport of the client, which records what streams send.
private final class RecordingTransport: ClientTransport {
  private struct Record {
    var paths: [String] = []
    var received: [UInt8] = []
  }

  private let base: any ClientTransport
  private let record = Mutex(Record())

  init(_ server: ReactordProcess) throws {
    base = ReactorServer.transport(for: try #require(URL(string: server.url)))
  }

  /// The paths of the streams.
  var paths: [String] { record.withLock { $0.paths } }

  /// The bytes of all streams.
  var received: [UInt8] { record.withLock { $0.received } }

  func send(
    _ request: TransportRequest,
    completion: @escaping @Sendable (Result<TransportResponse, Problem>) -> Void
  ) {
    base.send(request, completion: completion)
  }

  func open(
    _ request: TransportRequest, receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportConnection {
    record.withLock { $0.paths.append(request.path) }
    return base.open(request) { [self] event in
      if case .bytes(let bytes) = event { record.withLock { $0.received += bytes } }
      receive(event)
    }
  }

  func close() { base.close() }
}

private enum RemoteRoom: ReactorInterface {
  enum Action: Codable, Sendable { case join(String), leave(String) }

  struct State: Codable, Sendable {
    struct Message: Codable, Sendable { var text: String }
    var members: [String]
    var messages: [Message]
  }
}
