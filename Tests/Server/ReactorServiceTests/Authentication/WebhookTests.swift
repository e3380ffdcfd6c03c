import ClientCore
import Crypto
import Identity
import ReactorCore
import Shares
import Synchronization
import Telemetry
import Testing

@testable import ReactorService

/// The decisions of the webhook: their lifetime, their bounds, and what happens without a response.
struct WebhookTests {
  /// A server in the process of the test, which holds its responses if the test says so, and a clock.
  private final class Server: Sendable {
    struct State: Sendable {
      var time: Int64 = 1_000
      var response: Result<ProviderResponse, ProviderFailure> = .failure(.init(reason: "down"))
      var requests: [TransportRequest] = []
      var isHeld = false
      var held: [CheckedContinuation<Void, Never>] = []
    }

    let state = Mutex(State())

    func respond(_ body: String, status: Int = 200, maxAge: Int64? = nil) {
      state.withLock {
        $0.response = .success(
          ProviderResponse(status: status, body: Array(body.utf8), maxAge: maxAge))
      }
    }

    func fail() { state.withLock { $0.response = .failure(.init(reason: "down")) } }

    func send(
      _ request: TransportRequest
    ) async -> Result<ProviderResponse, ProviderFailure> {
      let isHeld = state.withLock { state in
        state.requests.append(request)
        return state.isHeld
      }
      if isHeld {
        await withCheckedContinuation { turn in state.withLock { $0.held.append(turn) } }
      }
      return state.withLock { $0.response }
    }

    func release() {
      let held = state.withLock { state in
        state.isHeld = false
        defer { state.held = [] }
        return state.held
      }
      for turn in held { turn.resume() }
    }

    var requests: [TransportRequest] { state.withLock { $0.requests } }
  }

  private static let secret = Array("0123456789abcdef0123456789abcdef".utf8)

  private let server = Server()
  private let ledger = Ledger()
  private let webhook: Webhook

  init() throws {
    let settings = Webhook.Settings(
      url: try #require(ProviderURL("https://a.example/decide")), secret: Self.secret)
    webhook = Webhook(
      settings, .silent, ProviderQueue(ledger), ledger,
      clock: { [server] in server.state.withLock { $0.time } },
      send: { [server] in await server.send($0) })
  }

  private func question(_ session: String = "ada") throws -> AccessQuestion {
    let principal = Principal(id: "ada", claims: Claims([("sub", .string("ada"))]))
    return try #require(AccessQuestion(principal, .act, "cart", session, actions: ["add"]))
  }

  private func client(_ number: UInt64) -> Account {
    ledger.account(of: .network(high: number, low: 0))
  }

  /// Asks at a time, and waits for the response.
  @discardableResult
  private func ask(
    _ session: String = "ada", at time: Int64 = 1_000, endingAfter end: Int64? = nil,
    for account: Account? = nil
  ) async throws -> AccessDecision {
    server.state.withLock { $0.time = time }
    let decision = webhook.decision(
      on: try question(session), endingAfter: end ?? time, at: time, for: account)
    if case .pending(let pending) = decision { return await pending.decision() }
    return decision
  }

  @Test func `the question is authenticated by the secret`() async throws {
    server.respond(#"{"allow":true}"#)
    #expect(try await ask().isAllowed == true)
    let request = try #require(server.requests.first)
    #expect(request.method == "POST")
    #expect(
      request.body
        == Array(
          #"{"principal":"ada","claims":{"sub":"ada"},"right":"act","reactor":"cart","session":"ada","actions":["add"]}"#
            .utf8))
    let field = try #require(request.fields.first { $0.name == "X-Hub-Signature-256" })
    // printf %s "$BODY" | openssl dgst -sha256 -hmac 0123456789abcdef0123456789abcdef
    #expect(
      field.value == "sha256=4ea42ab753a42fbc198c3ff8694f35d5f830feb30395ed2f5ae7841d105bad8c")
  }

  @Test(arguments: [(nil, 2), (0, 2), (60, 60), (1_000_000, 3_600)] as [(Int64?, Int64)])
  func `a decision is used as long as the response permits`(
    maxAge: Int64?, seconds: Int64
  ) async throws {
    for body in [#"{"allow":true}"#, #"{"allow":false,"reason":"no"}"#] {
      server.respond(body, maxAge: maxAge)
      let (session, count) = (body.contains("true") ? "a" : "b", server.requests.count)
      let isAllowed = try await ask(session).isAllowed
      #expect(isAllowed == (session == "a"))
      #expect(try await ask(session, at: 1_000 + seconds - 1).isAllowed == isAllowed)
      #expect(server.requests.count == count + 1)
      _ = try await ask(session, at: 1_000 + seconds)
      #expect(server.requests.count == count + 2)
    }
  }

  @Test(arguments: [
    ("", 200), ("[]", 200), ("{}", 200), (#"{"allow":"true"}"#, 200), (#"{"allow":1}"#, 200),
    (#"{"allow":true}"#, 201), (#"{"allow":true}"#, 302), (#"{"allow":true}"#, 403),
    (#"{"allow":true}"#, 500), ("<html>", 200),
    (#"{"allow":false,"allow":true}"#, 200), (#"{"allow":true,"a":{"b":1,"b":2}}"#, 200),
  ])
  func `any other response lets no client in`(body: String, status: Int) async throws {
    server.respond(body, status: status)
    for time in [1_000, 1_001] as [Int64] {
      let decision = try await ask(at: time)
      guard case .unavailable = decision else {
        Issue.record("\(decision)")
        continue
      }
    }
    #expect(server.requests.count == 1)
    #expect(webhook.known(try question(), at: 1_001) == nil)
    server.respond(#"{"allow":true}"#)
    #expect(try await ask(at: 1_002).isAllowed == true)
  }

  @Test func `a webhook that is down throws no client out before the decision ends`() async throws {
    server.respond(#"{"allow":true}"#, maxAge: 60)
    try await ask()
    server.fail()
    // A stream asks for a decision that ends later.
    let renewal = try await ask(at: 1_050, endingAfter: 1_060)
    guard case .unavailable = renewal else {
      Issue.record("\(renewal)")
      return
    }
    #expect(try await ask(at: 1_059).isAllowed == true)
    #expect(webhook.known(try question(), at: 1_059) == true)
    #expect(try await ask(at: 1_060).isAllowed == nil)
    server.respond(#"{"allow":false}"#)
    #expect(try await ask(at: 1_062).isAllowed == false)
  }

  @Test func `a decision that a stream has renewed is that of all`() async throws {
    server.respond(#"{"allow":true}"#, maxAge: 60)
    try await ask()
    server.respond(#"{"allow":false}"#, maxAge: 60)
    #expect(try await ask(at: 1_050, endingAfter: 1_060).isAllowed == false)
    #expect(try await ask(at: 1_051).isAllowed == false)
  }

  @Test func `equal questions at the same time are one request`() async throws {
    server.respond(#"{"allow":true}"#)
    server.state.withLock { $0.isHeld = true }
    let (first, second) = (
      webhook.decision(on: try question(), endingAfter: 1_000, at: 1_000, for: nil),
      webhook.decision(on: try question(), endingAfter: 1_000, at: 1_000, for: client(1))
    )
    while server.requests.isEmpty { await Task.yield() }
    server.release()
    for decision in [first, second] {
      guard case .pending(let pending) = decision else {
        Issue.record("\(decision)")
        continue
      }
      #expect(await pending.decision().isAllowed == true)
    }
    #expect(server.requests.count == 1)
  }

  @Test func `a client with many questions has no more than its share of the requests`()
    async throws
  {
    server.respond(#"{"allow":true}"#)
    server.state.withLock { $0.isHeld = true }
    var pending: [PendingAccess] = []
    func ask(_ session: String, _ account: Account) throws -> AccessDecision {
      let decision = webhook.decision(
        on: try question(session), endingAfter: 1_000, at: 1_000, for: account)
      if case .pending(let question) = decision { pending.append(question) }
      return decision
    }
    let (greedy, other) = (client(1), client(2))
    var number = 0
    while case .pending = try ask("s\(number)", greedy) { number += 1 }
    #expect(number <= ProviderQueue.capacity / 2 + 1)
    guard case .beyondShare(of: ProviderQueue.capacity) = try ask("last", greedy) else {
      Issue.record("The client gets more than its share.")
      return
    }
    while server.requests.count < ProviderQueue.share { await Task.yield() }
    // The client has half of the requests at a time, and another one does not wait for it.
    _ = try ask("other", other)
    while server.requests.count == ProviderQueue.share { await Task.yield() }
    #expect(server.requests.count == ProviderQueue.share + 1)
    let body = try #require(server.requests.last?.body)
    #expect(String(decoding: body, as: UTF8.self).contains(#""session":"other""#))
    server.release()
    for question in pending { _ = await question.decision() }
    #expect(ledger.used(.questions) == 0)
  }

  @Test func `the number of decisions is bounded, and a client replaces its own`() throws {
    let limit = 256
    var table = DecisionTable(ledger, limit: limit)
    func digest(_ number: Int) throws -> SHA256.Digest { try question("s\(number)").digest }
    func record(_ number: Int, _ account: Account, until: Int64 = 2_000) throws {
      table.record(
        (true, until), retryAt: .min, try digest(number), for: account, at: 1_000)
    }
    func isKnown(_ number: Int, at now: Int64 = 1_000) throws -> Bool {
      if case .decided? = table.decision(try digest(number), endingAfter: now, at: now) {
        true
      } else {
        false
      }
    }
    let (greedy, other) = (client(1), client(2))
    try record(-1, other)
    for number in 0..<(limit / 2 + 10) { try record(number, greedy) }
    #expect(table.count <= limit / 2 + 1)
    #expect(try isKnown(-1))
    #expect(try !isKnown(0))
    #expect(try isKnown(limit / 2 + 9))
    for number in 0..<10 { try record(1_000_000 + number, other) }
    #expect(try isKnown(1_000_000) && isKnown(1_000_009) && isKnown(-1))
    // Decisions that have ended make room.
    table.record(
      (true, 3_000), retryAt: .min, try digest(2_000_000), for: greedy, at: 2_000)
    #expect(table.count == 1)
    table.removeAll()
    #expect(ledger.used(.decisions) == 0)
  }

  @Test func `a full table drops the oldest decision of the client that has the most`() throws {
    let limit = 256
    var table = DecisionTable(ledger, limit: limit)
    var number = 0
    func record(_ account: Account) throws -> SHA256.Digest {
      number += 1
      let digest = try question("s\(number)").digest
      table.record((true, 2_000), retryAt: .min, digest, for: account, at: 1_000)
      return digest
    }
    let largest = client(0)
    let oldest = try record(largest)
    // Each client may have half of the free places.
    var index: UInt64 = 0
    while table.count < limit {
      if index > 0 || table.count < limit / 2 {
        let free = limit - table.count
        for _ in 0..<max(1, free / 2 - (index == 0 ? 1 : 0)) { _ = try record(client(index)) }
      }
      index += 1
    }
    let new = try record(client(100_000))
    #expect(table.decision(new, endingAfter: 1_000, at: 1_000) != nil)
    #expect(table.decision(oldest, endingAfter: 1_000, at: 1_000) == nil)
    #expect(table.count == limit)
    #expect(ledger.used(.decisions) == limit)
    #expect(client(100_000).held(.decisions) == 1)
  }
}

extension AccessDecision {
  /// Whether the request is permitted, or `nil` without a decision.
  fileprivate var isAllowed: Bool? {
    if case .decided(let isAllowed, _) = self { isAllowed } else { nil }
  }
}
