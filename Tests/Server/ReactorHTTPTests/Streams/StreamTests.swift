import ReactorHost
import ReactorLog
import ReactorTransport
import Synchronization
import Testing

@testable import ReactorHTTP

/// The output of a session's stream.
struct StreamTests {
  private let service = Service(settings: { $0.limits.streamBuffer = 4 })

  private func state(_ value: Int, _ label: String = "none") -> String {
    #"{"value":\#(value),"label":"\#(label)"}"#
  }

  private func lastEventID(_ version: Int) throws -> [(name: HTTPHeader, value: String)] {
    [(.lastEventID, try service.cursor(version))]
  }

  // MARK: Opening and following

  @Test func `the current state is sent at once, then each version`() throws {
    try service.addOnes(2)
    let reader = try service.watch()
    #expect(reader.read() == ["retry", "2 \(state(2))"])
    try service.addOnes(2)
    #expect(reader.read() == ["3 \(state(3))", "4 \(state(4))"])
    #expect(reader.read() == [])
    #expect(!reader.isFinished)
  }

  @Test func `the head is that of an event stream`() throws {
    let response = try service.ask("GET", "\(Service.root)/demo/events")
    #expect(response[field: "Content-Type"] == "text/event-stream; charset=utf-8")
    #expect(response[field: "Cache-Control"] == "no-store, no-transform")
    #expect(response[field: "X-Accel-Buffering"] == "no")
    let head = try service.ask("HEAD", "\(Service.root)/demo/events")
    guard case .empty = head.body else {
      Issue.record("HEAD opened a stream.")
      return
    }
    #expect(head.status == 200)
  }

  @Test func `a slow subscriber skips to the latest state`() throws {
    let reader = try service.watch().skipOpening()
    try service.addOnes(10)
    #expect(reader.read() == ["10 \(state(10))"])
    try service.addOnes(4)
    #expect(reader.read() == (11...14).map { "\($0) \(state($0))" })
  }

  @Test func `open streams are counted until they close`() throws {
    let readers = [try service.watch(), try service.watch(), try service.watch("select=/value")]
    #expect(service.api.channels.streamCount == 3)
    try service.addOnes(1)
    let list = try service.ask("GET", Service.root).text
    #expect(list.contains(#""subscribers":3"#))
    for reader in readers { reader.close() }
    #expect(service.api.channels.streamCount == 0)
    #expect(try service.ask("GET", Service.root).text.contains(#""subscribers":0"#))
  }

  @Test func `a group is woken by each version with an event`() throws {
    let reader = try service.watch("select=/label").skipOpening()
    let loop = CountingLoop()
    for group in reader.groups { group.add(loop) }
    try service.addOnes(3)
    #expect(loop.wakes == 0)
    try service.act(#"{"label":"new"}"#)
    #expect(loop.wakes == 1)
    for group in reader.groups { group.remove(loop) }
    try service.act(#"{"label":"newer"}"#)
    #expect(loop.wakes == 1)
  }

  // MARK: Resuming

  @Test func `a current subscriber gets only a comment`() throws {
    try service.addOnes(2)
    let reader = try service.watch("", lastEventID(2))
    #expect(reader.read() == ["retry", ": current"])
    try service.addOnes(1)
    #expect(reader.read() == ["3 \(state(3))"])
  }

  @Test func `a subscriber that missed versions gets the current state once`() throws {
    try service.addOnes(5)
    let reader = try service.watch("", lastEventID(2))
    #expect(reader.read() == ["retry", "5 \(state(5))"])
  }

  @Test func `the parameter resumes a stream, and the header field overrides it`() throws {
    try service.addOnes(2)
    let current = try service.cursor(2)
    #expect(try service.watch("last_event_id=\(current)").read() == ["retry", ": current"])
    let older = try service.cursor(1)
    #expect(
      try service.watch("last_event_id=\(older)", lastEventID(2)).read() == ["retry", ": current"])
  }

  @Test(arguments: ["x", "-", "elsewhere-1", "%00", "1", "a b"])
  func `a cursor of another history causes a reset`(cursor: String) throws {
    try service.addOnes(2)
    #expect(
      try service.watch("last_event_id=\(cursor)").read() == [
        "retry", "reset {}", "2 \(state(2))",
      ])
  }

  @Test func `a cursor ahead of the log resets`() throws {
    try service.addOnes(2)
    #expect(
      try service.watch("", lastEventID(3)).read() == ["retry", "reset {}", "2 \(state(2))"])
  }

  // MARK: Every version

  @Test func `replay sends every version from the first, then new ones`() throws {
    try service.addOnes(3)
    let reader = try service.watch("replay=all")
    #expect(reader.read() == ["retry"] + (0...3).map { "\($0) \(state($0))" })
    try service.addOnes(2)
    #expect(reader.read() == (4...5).map { "\($0) \(state($0))" })
  }

  @Test func `replay begins after the cursor`() throws {
    try service.addOnes(5)
    #expect(
      try service.watch("replay=all", lastEventID(3)).read()
        == ["retry"] + (4...5).map { "\($0) \(state($0))" })
    #expect(try service.watch("replay=all", lastEventID(5)).read() == ["retry", ": current"])
  }

  @Test func `replay after a reset begins with the first version`() throws {
    try service.addOnes(2)
    #expect(
      try service.watch("replay=all&last_event_id=x").read()
        == ["retry", "reset {}"] + (0...2).map { "\($0) \(state($0))" })
  }

  @Test(arguments: [1, 3, 5, 7, 40])
  func `replay has no gaps and no duplicates at any pace of the reader`(pace: Int) throws {
    let reader = try service.watch("replay=all")
    var got: [String] = []
    for _ in 0..<30 {
      try service.addOnes(pace)
      // Read at most four chunks per round: with a high pace, the reader falls behind the buffer
      // and catches up again.
      for _ in 0..<4 { if let chunk = reader.next() { got.append(chunk) } }
    }
    while let chunk = reader.next() { got.append(chunk) }
    let ids = got.dropFirst().map { chunk in
      chunk.prefix { $0 != "\n" }.split(separator: "-").last.flatMap { Int($0) } ?? -1
    }
    #expect(ids == Array(0...(30 * pace)))
  }

  @Test func `removed versions cause a reset, then every version follows`() throws {
    let service = Service(
      log: MemoryLog(retainedVersions: 0), host: { $0.snapshotInterval = 5 },
      settings: { $0.limits.streamBuffer = 4 })
    try service.addOnes(12)
    let reader = try service.watch("replay=all")
    #expect(reader.read() == ["retry", "reset {}", "12 \(state(12))"])
    try service.addOnes(2)
    #expect(reader.read() == ["13 \(state(13))", "14 \(state(14))"])
  }

  @Test func `a stream ends if retention overtakes its reader`() throws {
    let service = Service(
      log: MemoryLog(retainedVersions: 0), host: { $0.snapshotInterval = 5 },
      settings: { $0.limits.streamBuffer = 4 })
    let reader = try service.watch("replay=all").skipOpening()
    try service.addOnes(12)
    _ = reader.read()
    #expect(reader.isFinished)
  }

  @Test(arguments: ["replay=some", "replay=", "select=x", "last_event_id=%"])
  func `an unknown value of a parameter is a problem`(query: String) throws {
    let response = try service.ask("GET", "\(Service.root)/demo/events?\(query)")
    #expect([400, 422].contains(response.status))
    #expect(service.api.channels.streamCount == 0)
  }

  @Test(.timeLimit(.minutes(60)), arguments: ["", "replay=all", "replay=all&select=/value"])
  func `versions ascend during concurrent writes, and a replay has all of them`(query: String)
    async throws
  {
    let last = 1000
    let service = service
    let reader = try service.watch(query)
    async let writing: Void = withTaskGroup { group in
      for _ in 0..<2 {
        group.addTask {
          // The response can arrive on the other thread if that thread executes the action.
          for _ in 0..<(last / 2) {
            _ = service.start("POST", "\(Service.root)/demo/actions", body: #"{"add":1}"#)
          }
        }
      }
    }
    var versions: [Int] = []
    while versions.last != last {
      guard let chunk = reader.next() else {
        await Task.yield()
        continue
      }
      guard let id = chunk.split(separator: "\n").first(where: { $0.hasPrefix("id: ") }) else {
        continue
      }
      versions.append(id.split(separator: "-").last.flatMap { Int($0) } ?? -1)
    }
    await writing
    if query.isEmpty {
      #expect(zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 })
    } else {
      #expect(versions == Array(0...last))
    }
    reader.close()
  }

  // MARK: A part

  @Test func `a part is sent only when it changes`() throws {
    let reader = try service.watch("select=/label")
    #expect(reader.read() == ["retry", #"0 "none""#])
    try service.addOnes(2)
    #expect(reader.read() == [])
    try service.act(#"[{"label":"a"},{"label":"a"},{"add":1},{"label":"b"}]"#)
    #expect(reader.read() == [#"3 "a""#, #"6 "b""#])
    try service.act(#"{"label":"b"}"#)
    #expect(reader.read() == [])
  }

  @Test func `a second reader of a part sees the same changes`() throws {
    let first = try service.watch("select=/label").skipOpening()
    try service.addOnes(1)
    let second = try service.watch("select=/label").skipOpening()
    try service.addOnes(1)
    try service.act(#"{"label":"a"}"#)
    #expect(first.read() == [#"3 "a""#])
    #expect(second.read() == [#"3 "a""#])
  }

  @Test func `a replay of a part sends its changes`() throws {
    try service.act(#"[{"label":"a"},{"add":1},{"label":"a"},{"label":"b"},{"add":1}]"#)
    let whole = try service.watch("replay=all&select=/label")
    #expect(whole.read() == ["retry", #"0 "none""#, #"1 "a""#, #"4 "b""#])
    try service.addOnes(1)
    try service.act(#"{"label":"c"}"#)
    #expect(whole.read() == [#"7 "c""#])
    let rest = try service.watch("replay=all&select=/label", lastEventID(2))
    #expect(rest.read() == ["retry", #"4 "b""#, #"7 "c""#])
  }

  @Test func `a replay of a part compares with the last event after it returned to the log`()
    throws
  {
    let reader = try service.watch("replay=all&select=/label")
    #expect(reader.read() == ["retry", #"0 "none""#])
    try service.act(#"{"label":"a"}"#)
    #expect(reader.read() == [#"1 "a""#])
    // Append more mutations than the buffer holds; the first label equals the last one that the
    // reader has received.
    try service.act(#"{"label":"a"}"#)
    try service.act(#"{"label":"none"}"#)
    for label in ["b", "c", "d", "e"] { try service.act(#"{"label":"\#(label)"}"#) }
    #expect(
      reader.read() == [#"3 "none""#, #"4 "b""#, #"5 "c""#, #"6 "d""#, #"7 "e""#])
  }

  @Test func `a missing part is null`() throws {
    let reader = try service.watch("select=/nowhere/else")
    #expect(reader.read() == ["retry", "0 null"])
    try service.addOnes(1)
    #expect(reader.read() == [])
  }

  @Test func `the empty pointer selects the whole`() throws {
    #expect(try service.watch("select=").read() == ["retry", "0 \(state(0))"])
  }

  // MARK: Ends

  @Test func `a deleted session ends its streams after their pending events`() throws {
    let readers = [try service.watch(), try service.watch("replay=all")]
    try service.addOnes(2)
    #expect(try service.ask("DELETE", "\(Service.root)/demo").status == 204)
    #expect(
      readers[0].read() == ["retry", "0 \(state(0))", "1 \(state(1))", "2 \(state(2))", "end {}"])
    #expect(readers[0].isFinished)
    #expect(readers[1].read().last == "end {}")
    #expect(readers[1].isFinished)
    #expect(try service.ask("GET", "\(Service.root)/demo/events").status == 204)
  }

  @Test func `a deleted session ends a replay`() throws {
    let reader = try service.watch("replay=all").skipOpening()
    try service.addOnes(20)
    #expect(try service.ask("DELETE", "\(Service.root)/demo").status == 204)
    #expect(reader.read().last == "end {}")
    #expect(reader.isFinished)
  }

  @Test func `draining ends open streams and makes new ones retry`() throws {
    let open = try service.watch().skipOpening()
    try service.addOnes(1)
    service.api.drain()
    #expect(open.read() == ["draining {}"])
    #expect(open.isFinished)
    let late = try service.watch()
    #expect(late.read() == ["retry"])
    #expect(late.isFinished)
    #expect(try service.ask("GET", "/healthz").status == 200)
    #expect(try service.ask("GET", "/readyz").problem == "503 unavailable")
    #expect(try service.act(#"{"add":1}"#)[field: "Retry-After"] == "1")
  }

  @Test func `a stream over the limit of sessions makes its client retry`() throws {
    let log = MemoryLog()
    #expect(try Service(log: log).ask("PUT", "\(Service.root)/s").status == 201)
    let service = Service(log: log, host: { $0.sessionLimit = 0 })
    let response = try service.ask("GET", "\(Service.root)/s/events")
    guard case .stream(let stream) = response.body else { throw NoStream() }
    #expect(Reader(stream).read() == ["retry"])
  }
}

/// Counts its wakes.
private final class CountingLoop: StreamWaking {
  private let count = Atomic(0)

  var wakes: Int { count.load(ordering: .relaxed) }

  func wake(_ group: StreamGroup) {
    count.add(1, ordering: .relaxed)
  }
}
