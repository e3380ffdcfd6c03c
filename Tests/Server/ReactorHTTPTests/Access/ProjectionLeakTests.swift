import Foundation
import ReactorCoding
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// No byte that only another audience sees reaches a client, over all operations of the contract.
///
/// Each hand is an unguessable text. What a client may ever have received is what the projection has shown it in some
/// committed State; everything else is searched in every byte of every response and stream.
struct ProjectionLeakTests {
  private static let users = ["ada", "eve", "joe", "manager"]

  /// The hands at the table, and what each user may have seen.
  private struct Model {
    var seats: [String: Int] = [:]
    var hands: [Int: String] = [:]
    var secrets: Set<String> = []
    var seen: [String: Set<String>] = [:]

    /// The number of bytes of a secret: an `s` and the digits of a UUID.
    private static let length = 33

    /// A new secret, which no client has seen.
    mutating func secret() -> String {
      let secret = "s" + UUID().uuidString.replacing("-", with: "")
      secrets.insert(secret)
      return secret
    }

    mutating func committed() {
      for (user, seat) in seats {
        if let hand = hands[seat] { seen[user, default: []].insert(hand) }
      }
    }

    /// The secrets in a text that a user must not have.
    func leaks(in text: String, to user: String) -> [String] {
      let allowed = seen[user] ?? []
      return Self.candidates(in: text).filter { secrets.contains($0) && !allowed.contains($0) }
    }

    /// The parts of a text that have the form of a secret.
    private static func candidates(in text: String) -> [String] {
      var found: [String] = []
      var text = text
      text.withUTF8 { bytes in
        var index = bytes.count
        // The number of digits after the byte.
        var digits = 0
        while index > 0 {
          index -= 1
          let byte = bytes[index]
          if byte &- UInt8(ascii: "0") < 10 || byte &- UInt8(ascii: "A") < 6 {
            digits += 1
            continue
          }
          if byte == UInt8(ascii: "s"), digits >= length - 1 {
            found.append(String(decoding: bytes[index..<index + length], as: UTF8.self))
          }
          digits = 0
        }
      }
      return found
    }
  }

  private struct Stream {
    let user: String
    let query: String
    let reader: Reader
  }

  private static let streams =
    [
      "", "select=/hand", "delta=patch", "delta=merge", "old=true", "format=datastar", "replay=all",
      "replay=all&delta=patch", "replay=all&old=true", "activity=true&presence=true&signals=true",
      "format=datastar&into=x&select=/hand",
    ].map { "\(Table.root)/t/events?\($0)" } + [
      "/v1/events?session=number/n&session=table/t", "/v1/events?session=table/t&delta=patch",
      "/v1/changes/events?after=0&with=state", "/v1/changes/events?after=0&with=entries",
    ]

  private static let reads = [
    "/t", "/t/state", "/t/state?select=/hand", "/t/state?select=/hands/1", "/t/state?select=/mark",
    "/t/log", "/t/effects", "/t/timers", "/t/subscribers", "/t/parameters", "",
    "/v1/reactors/table", "/v1/reactors/table/failures", "/v1/reactors/table/types.ts",
    "/v1/changes?with=state&limit=1000", "/v1/changes?with=entries&limit=1000", "/openapi.json",
  ]

  @Test(arguments: 0..<8)
  func `no client gets a byte of another audience`(run: Int) throws {
    let table = try Table(workers: 0)
    var model = Model()
    var random = SystemRandomNumberGenerator()
    var streams: [Stream] = []
    func check(_ response: HTTPResponse, _ user: String, _ place: String) {
      let fields = response.headers.map { "\($0.name): \($0.value)" }.joined()
      #expect(model.leaks(in: response.text + fields, to: user) == [], "\(user): \(place)")
    }
    func open(_ query: String, _ user: String, from id: String?) throws -> Stream? {
      let separator = query.contains("?") ? "&" : "?"
      let resumed = id.map { separator + "last_event_id=\($0)" } ?? ""
      let response = try table.ask("GET", query + resumed, as: user)
      check(response, user, query)
      guard case .stream(let stream) = response.body else { return nil }
      return Stream(user: user, query: query, reader: Reader(stream))
    }
    func change() throws -> (user: String, body: String) {
      let seat = Int.random(in: 1...3, using: &random)
      let user = Self.users.randomElement(using: &random) ?? "ada"
      switch Int.random(in: 0..<10, using: &random) {
      case 0...3:
        let card = model.secret()
        model.hands[seat] = card
        return ("host", #"{"deal":{"_0":\#(seat),"_1":"\#(card)"}}"#)
      case 4...5:
        model.seats[user] = seat
        return ("host", #"{"seat":{"_0":"\#(user)","_1":\#(seat)}}"#)
      case 6:
        model.seats[user] = nil
        return ("host", #"{"dismiss":"\#(user)"}"#)
      case 7: return ("host", #"{"mark":"\#(model.secret())"}"#)
      case 8: return ("host", #"{"hold":"\#(model.secret())"}"#)
      default: return (user, #"{"bet":1}"#)
      }
    }
    for step in 0..<60 {
      let (user, body) = try change()
      if case let (changed?) = model.seats.keys.randomElement(using: &random), step % 9 == 0 {
        // Opens between two commits.
        if let stream = try open("\(Table.root)/t/events", changed, from: nil) {
          streams.append(stream)
        }
      }
      // A stream opened above may have what was committed before the change.
      var asynchronous: [(name: HTTPHeader, value: String)] = []
      if body.hasPrefix(#"{"hold"#) { asynchronous = [(.prefer, "respond-async")] }
      let response = try table.ask("POST", "/t/actions", as: user, body: body, asynchronous)
      #expect((200..<300).contains(response.status))
      model.committed()
      check(response, user == "host" ? "-" : user, body)
      for user in Self.users {
        if let path = Self.reads.randomElement(using: &random) {
          check(try table.ask("GET", path, as: user), user, path)
        }
        let version = Int.random(in: 0...(step + 1), using: &random)
        let path = "/t/state?version=\(version)"
        check(try table.ask("GET", path, as: user), user, path)
        if let query = Self.streams.randomElement(using: &random), streams.count < 40,
          let stream = try open(query, user, from: nil)
        {
          streams.append(stream)
        }
      }
      var closed: [Int] = []
      for index in streams.indices.shuffled(using: &random).prefix(20) {
        let stream = streams[index]
        while let text = stream.reader.next() {
          #expect(model.leaks(in: text, to: stream.user) == [], "\(stream.user): \(stream.query)")
        }
        guard stream.reader.isFinished || Int.random(in: 0..<8, using: &random) == 0 else {
          continue
        }
        // Resumes, perhaps as another user.
        stream.reader.close()
        let next =
          Bool.random(using: &random) ? stream.user : Self.users.randomElement(using: &random)
        closed.append(index)
        if let resumed = try open(stream.query, next ?? "ada", from: stream.reader.lastID) {
          streams.append(resumed)
        }
      }
      // A stream is closed once.
      for index in closed.sorted(by: >) { streams.remove(at: index) }
    }
    for stream in streams { stream.reader.close() }
    #expect(table.service.api.channels.views.counts == (0, 0))
  }

  /// Endpoints are read from the table: one that is added later and shows a State, an action or a mutation fails here.
  @Test func `no endpoint shows what the projection hides`() throws {
    let table = try Table()
    var model = Model()
    let (hand, other, mark) = (model.secret(), model.secret(), model.secret())
    model.seen["ada"] = [hand]
    try table.seat("ada", 1)
    try table.deal(1, hand)
    try table.deal(2, other)
    try table.act(#"{"mark":"\#(mark)"}"#)
    let held = try table.ask(
      "POST", "/t/actions", as: "host", body: #"{"hold":"\#(model.secret())"}"#,
      [(.prefer, "respond-async")])
    #expect(held.status == 202)
    for user in ["ada", "eve", "manager"] {
      for endpoint in table.service.api.endpoints.resources.flatMap(\.endpoints) {
        var (target, body) = MatrixTests.request(endpoint, session: "t")
        target = target.replacing("/number", with: "/table").replacing("=number", with: "=table")
        if endpoint.operation().id == "runActions" { body = #"{"bet":1}"# }
        if endpoint.operation().id == "createSession" {
          body = #"{"id":"copy","from":{"session":"t"}}"#
        }
        // Keep the session until the end.
        if endpoint.operation().id == "endSession" { continue }
        for query in ["", "with=state&after=0", "with=entries", "version=3", "replay=all"] {
          let separator = target.contains("?") ? "&" : "?"
          let address = query.isEmpty ? target : target + separator + query
          let response = try table.service.ask(
            endpoint.method.name, address, Table.token(user), body: body)
          let place = "\(user): \(endpoint.method.name) \(address)"
          #expect(model.leaks(in: response.text, to: user) == [], "\(place)")
          if case .stream(let stream) = response.body {
            let reader = Reader(stream)
            while let text = reader.next() {
              #expect(model.leaks(in: text, to: user) == [], "\(place)")
            }
            reader.close()
          }
        }
      }
    }
    // The same requests find the secrets without the projection in their way.
    let log = try table.ask("GET", "/t/log", as: "host").text
    #expect(model.leaks(in: log, to: "eve").contains(mark))
    #expect(try table.ask("GET", "/t/effects", as: "inspector").text.contains("hold"))
  }

  /// The compiler finds a response with a State that is no `VisibleState`; this finds JSON that is taken from one
  /// in another way.
  @Test func `only the projection and the streams read the JSON of a State`() throws {
    let readers: Set<String> = [
      "VisibleState.swift", "HTTPResponse+Representations.swift", "StreamView.swift",
      "EventChannel.swift", "EventChannels+Subscribe.swift", "EventSubscription.swift",
      "SessionViews.swift", "StreamEndpoints.swift", "StreamEndpoints+Views.swift",
      "ChangeText.swift", "ChangeViews.swift", "DocumentCache.swift", "CompositeStream.swift",
      "SessionStream.swift", "StreamNotices.swift", "StreamEvent.swift", "NoticeChannels.swift",
      "SignalChannel.swift",
    ]
    let sources = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../../Sources/Server/ReactorHTTP").standardizedFileURL
    let paths = try #require(
      FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    var count = 0
    for case let file as URL in paths where file.pathExtension == "swift" {
      count += 1
      guard !readers.contains(file.lastPathComponent) else { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
        .enumerated()
      {
        let reads =
          line.contains(/(state|current|committed|initial|session|found|opened)\)?\.json\b/)
          || line.contains(/\b(state|storedState)\((after|at):/) && line.contains("host.")
        #expect(!reads, "\(file.lastPathComponent):\(index + 1) reads the JSON of a State")
      }
    }
    #expect(count > 90)
  }
}
