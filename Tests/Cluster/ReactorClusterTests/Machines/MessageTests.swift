import ReactorHost
import ReactorLog
import TestSupport
import Testing

@testable import ReactorCluster

struct MessageTests {
  private static let node = NodeID(name: "a", incarnation: 0x77AA)
  private static let key = SessionKey(reactor: "counter", id: "demo")

  private static let messages: [NodeMessage] = [
    .heartbeat(
      Heartbeat(
        node: node, state: .ready, configuration: 5, fingerprints: ["counter": 1, "todo": 2])),
    .expelled(node), .unreachable(node), .claim(key, by: node),
    .claims([key, SessionKey(reactor: "chat", id: "lobby")], by: node, isReply: true),
    .commits(
      PublishedCommits(
        owner: node, session: key, epoch: "e", base: 3, version: 5, state: Array("{}".utf8))),
    .digest(
      Digest(
        changes: [.init(session: key, cursor: Cursor(epoch: "e", version: 3))], subscriptions: 9),
      from: node),
    .closed(key, 7, isDeleted: true, by: node),
    .streams(
      key,
      StreamReport(
        subscription: 7, part: 1, isLast: false,
        streams: [.init(name: "ada", count: 2), .init(name: nil, count: 1)]),
      from: node),
    .presence(
      key, PresencePage(Presence(count: 3, subscribers: [.init(name: "ada", streams: 2)]), more: 1)),
    .unsubscribe(key, 7, from: node),
    .signal(key, Array("{}".utf8), from: "ada"), .signal(key, [], from: nil),
    .publishedSignal(key, [], from: "ada"),
    .observesActivity(key, 7, true, from: node),
    .activity(key, SessionActivity(running: 2, progress: 0.5)),
  ]

  private static let requests: [NodeRequest] = [
    .probe, .release(key), .list(reactor: "counter", after: "a", limit: 5),
    .applyGlobal("theme"), .describe,
    .locate([RequestNumber(edge: node, count: 5), RequestNumber(edge: node, count: 9)]),
    .forward(
      ForwardedRequest(
        number: RequestNumber(edge: node, count: 5), session: key, kind: .action,
        isRepeated: true, payload: [1, 2, 3])),
  ]

  private static let replies: [NodeReply] = [
    .response([1, 2]), .ownedBy(node), .unavailable, .unreadable([3]), .unknown, .running,
    .released, .alive,
    .applied, .absent([RequestNumber(edge: node, count: 5)]),
    .description(NodeDescription(release: "0.2.0", sessions: 5)),
    .sessions([
      SessionSummary(
        id: "demo", cursor: Cursor(epoch: "e", version: 3), subscribers: 2,
        lastActiveAt: Timestamp(milliseconds: 5))
    ]),
  ]

  @Test func `messages, requests and replies are read as they were written`() {
    for message in Self.messages { #expect(NodeMessage(reading: message.bytes) == message) }
    for request in Self.requests {
      let read = NodeRequest.read(request.bytes(from: Self.node))
      #expect(read?.request == request && read?.sender == Self.node)
    }
    for reply in Self.replies { #expect(NodeReply(reading: reply.bytes) == reply) }
  }

  @Test func `truncated and changed bytes are rejected or read, without a trap`() {
    var random = SplitMix64(seed: 1)
    let all =
      Self.messages.map(\.bytes) + Self.requests.map { $0.bytes(from: Self.node) }
      + Self.replies.map(\.bytes)
    for bytes in all {
      for count in 0..<bytes.count { read(Array(bytes.prefix(count))) }
      for _ in 0..<200 {
        var changed = bytes
        changed[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
        read(changed)
      }
    }
    #expect(NodeMessage(reading: []) == nil)
    #expect(NodeReply(reading: [200]) == nil)
  }

  private func read(_ bytes: [UInt8]) {
    _ = NodeMessage(reading: bytes)
    _ = NodeRequest.read(bytes)
    _ = NodeReply(reading: bytes)
  }

  @Test func `an invalid session id is not read`() {
    let message = NodeMessage.claim(SessionKey(reactor: "counter", id: "a/b"), by: Self.node)
    #expect(NodeMessage(reading: message.bytes) == nil)
  }
}
