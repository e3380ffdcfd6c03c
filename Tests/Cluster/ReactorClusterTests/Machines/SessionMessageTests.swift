import ReactorCore
import ReactorHost
import ReactorLog
import Shares
import TestSupport
import Testing

@testable import ReactorCluster

/// The payloads of forwarded requests and of their responses.
struct SessionMessageTests {
  private static let node = NodeID(name: "a", incarnation: 0x77AA)
  private static let json = Array(#"{"count":3}"#.utf8)
  private static let cursor = Cursor(epoch: "e", version: 3)
  private static let state = CommittedState(cursor: cursor, json: json)
  private static let time = Timestamp(milliseconds: 1_760_000_000_123)
  private static let key = IdempotencyKey(stored: "k", body: "0f")
  private static let page = PresencePage(
    Presence(count: 3, subscribers: [.init(name: "ada", streams: 2)]), more: 1)

  private static let clients: [Client?] = [
    nil, .principal("ada"), .network(high: .max, low: 5), .local,
  ]

  private static let context: RequestContext = {
    var context = RequestContext(
      id: "r1", traceparent: "00-1-2-01",
      principal: Principal(id: "ada", claims: Claims([("role", .string("admin"))]), expiry: 9),
      origin: .session(reactor: "counter", id: "demo"))
    context.depth = 2
    return context
  }()

  private static let submission = Submission(
    body: json, expected: [cursor, Cursor(epoch: "f", version: 0)], key: key, context: context)

  private static let calls: [SessionCall] = [
    .open(.use, parameters: nil), .open(.ensure, parameters: json), .open(.create, parameters: []),
    .find, .submit(submission), .submit(Submission(body: [])),
    .submit(Submission(body: [1], expected: [], context: RequestContext(id: "r2"))),
    .outcome(submission), .subscribe(.max), .confirm,
    .effects(after: "e1", limit: 5), .effects(after: nil, limit: 0), .cancelEffect("e1"),
    .timers(after: TimerPosition(due: time, history: 0, id: "t1"), limit: 5),
    .timers(after: nil, limit: 5),
    .subscribers(after: "ada", limit: 5), .subscribers(after: nil, limit: 5), .cancelTimer("t1"),
    .end, .fork(version: 3, to: "copy", parameters: json),
    .fork(version: nil, to: "copy", parameters: nil), .state(version: 3),
    .states(after: 3, limit: 5), .states(after: nil, limit: 5), .entries(after: 3, limit: 5),
  ]

  private static let logErrors: [LogError] = [
    .lost(to: node), .lost(to: nil), .full, .unavailable("away"), .corrupt("torn"),
    .unreadable(version: 3, reason: "no case"), .unknown, .tooLarge,
    .beyondShare(of: 5, bound: "writes"),
  ]

  private static let historyErrors: [HistoryError] =
    [.unknownVersion(oldest: 2, latest: 9)] + logErrors.map { .log($0) }

  private static let sessionErrors: [SessionError] =
    [
      .unknown, .ended, .exists, .needsParameters, .otherParameters, .tooMany, .overloaded,
      .quarantined,
    ]
    + historyErrors.map { .history($0) } + logErrors.map { .log($0) }

  private static let failures: [RemoteFailure] = [
    .stateTooLarge(size: 9, limit: 5), .crashed,
    .tooDeep(SessionKey(reactor: "counter", id: "demo")), .reason(nil),
    .reason(.init(status: 409, title: "Full", detail: "5 of 5")),
    .recorded(.sendsTooDeep, .init(status: 422, title: "Too deep", detail: nil)),
  ]

  private static let outcomes: [ActionOutcome] =
    [
      .committed(state), .replayed(.committed(state)), .running, .keyReused, .mismatch(state),
      .overloaded, .ended, .invalid(.malformed(offset: 7, reason: "no value")),
      .invalid(.invalid(pointer: "/a", expected: ["add", "reset"], detail: "no case")),
      .invalid(.internalAction("tick")),
    ]
    + failures.map { .failed(index: 1, $0.error, at: cursor) }
    + failures.map { .failed(index: nil, $0.error, at: cursor) }
    + logErrors.map { .notCommitted($0) } + sessionErrors.map { .notOpened($0) }

  private static let images: [SessionImage] = [
    SessionImage(
      current: state, parameters: json, lastActiveAt: time, presence: page, isStored: true),
    SessionImage(
      current: state, parameters: nil, lastActiveAt: time, presence: PresencePage(Presence()),
      isStored: false),
  ]

  private static let effects = [
    RunningEffect(id: "e1", action: json, startedAt: time, progress: 0.25),
    RunningEffect(id: "e2", action: nil, startedAt: time, progress: nil),
  ]

  private static let timers = [
    StoredTimer(id: "t1", due: time, action: json, period: 1_000, catchesUp: true),
    StoredTimer(id: "t2", due: time, action: json),
  ]

  private static let entries = [
    LogEntry(
      version: 3, at: time, action: json, global: .init(name: "theme", revision: 5),
      mutation: json, by: "ada"),
    LogEntry(version: 4, at: time, action: nil, mutation: []),
  ]

  private static let replies: [SessionReply] =
    images.map { .opened($0, wasCreated: $0.isStored) } + outcomes.map { .outcome($0) }
    + sessionErrors.map { .failed($0) } + historyErrors.map { .history($0) }
    + [
      .absent(state), .accepted(state, key: key), .effects(effects), .effects([]), .timers(timers),
      .states([state, state]), .entries(entries), .subscribers(page), .done,
    ]

  @Test func `calls and replies are read as they were written`() {
    for call in Self.calls {
      expectEqual(SessionCall(reading: call.bytes), call)
      for client in Self.clients {
        let request = SessionRequest(client: client, call: call)
        expectEqual(SessionRequest(reading: request.bytes), request)
      }
    }
    for reply in Self.replies { expectEqual(SessionReply(reading: reply.bytes), reply) }
  }

  @Test func `nodes of all releases write the same bytes`() {
    let call = SessionCall.fork(version: 3, to: "copy", parameters: nil)
    #expect(
      call.bytes == [10, 1] + number(3) + number(4) + Array("copy".utf8) + [0])
    let reply = SessionReply.states([CommittedState(cursor: Self.cursor, json: [7, 8])])
    let cursor = number(1) + Array("e".utf8) + number(3)
    #expect(reply.bytes == [10] + number(1) + cursor + number(2) + [7, 8])
    #expect(
      Self.calls.map { $0.bytes.first } == [
        1, 1, 1, 2, 3, 3, 3, 14, 17, 15, 5, 5, 6, 16, 16, 18, 18, 8, 9, 10, 10, 11, 12, 12, 13,
      ])
    #expect(Self.replies.suffix(9).map { $0.bytes.first } == [2, 4, 7, 7, 9, 10, 11, 13, 12])
  }

  private func number(_ value: UInt8) -> [UInt8] { [value, 0, 0, 0, 0, 0, 0, 0] }

  @Test func `a truncated call or reply is not read`() {
    for call in Self.calls {
      let request = SessionRequest(client: .principal("ada"), call: call).bytes
      for bytes in prefixes(request) { #expect(SessionRequest(reading: bytes) == nil) }
      for bytes in prefixes(call.bytes) { #expect(SessionCall(reading: bytes) == nil) }
    }
    for bytes in Self.replies.flatMap({ prefixes($0.bytes) }) {
      #expect(SessionReply(reading: bytes) == nil)
    }
  }

  @Test func `changed bytes of calls and replies are rejected or read, without a trap`() {
    var random = SplitMix64(seed: 1)
    let requests = Self.calls.map { SessionRequest(client: .local, call: $0).bytes }
    for bytes in requests + Self.replies.map(\.bytes) {
      for _ in 0..<50 {
        var changed = bytes
        changed[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
        _ = SessionRequest(reading: changed)
        _ = SessionReply(reading: changed)
      }
    }
  }

  @Test func `errors that only the owner distinguishes are read as those of the edge`() {
    let displaced = SessionReply.outcome(.displaced(by: Self.node))
    expectEqual(
      SessionReply(reading: displaced.bytes), .outcome(.notCommitted(.lost(to: Self.node))))
    let quarantined = SessionReply.failed(.reactorQuarantined)
    expectEqual(SessionReply(reading: quarantined.bytes), .failed(.quarantined))
  }

  @Test func `replies of former releases to cancellations and full mailboxes are read`() {
    expectEqual(SessionReply(reading: [8, 1]), .done)
    for bytes: [UInt8] in [[7, 0], [8, 2], [9, 0]] {
      expectEqual(SessionReply(reading: bytes), .failed(.overloaded))
    }
    expectEqual(SessionReply(reading: [8, 3, 2]), .failed(.log(.full)))
    #expect(SessionReply(reading: [8, 4]) == nil)
  }

  @Test func `numbers out of range and nested replays are not read`() {
    let calls: [SessionCall] = [
      .state(version: -1), .state(version: .max), .states(after: -1, limit: 5),
      .entries(after: -1, limit: 5), .effects(after: nil, limit: -1),
      .subscribers(after: nil, limit: .max), .fork(version: -1, to: "copy", parameters: nil),
    ]
    for call in calls { #expect(SessionCall(reading: call.bytes) == nil) }
    let late = Timestamp(milliseconds: .max)
    let replies: [SessionReply] = [
      .timers([StoredTimer(id: "t1", due: late, action: [])]),
      .entries([LogEntry(version: 1, at: late, action: nil, mutation: [])]),
      .entries([LogEntry(version: -1, at: Self.time, action: nil, mutation: [])]),
      .subscribers(PresencePage(Presence(count: -1, subscribers: []))),
      .outcome(.replayed(.replayed(.replayed(.running)))),
    ]
    for reply in replies { #expect(SessionReply(reading: reply.bytes) == nil) }
  }

  /// Compares all values of messages, some of which are not equatable.
  private func expectEqual<Message>(
    _ read: Message?, _ written: Message, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(read.map(text) == text(written), sourceLocation: sourceLocation)
  }

  private func text(_ message: Any) -> String {
    var text = ""
    dump(message, to: &text)
    return text
  }

  private func prefixes(_ bytes: [UInt8]) -> [[UInt8]] {
    bytes.indices.map { Array(bytes.prefix($0)) }
  }
}
