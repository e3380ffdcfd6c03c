import Foundation
import ReactorClient
import ReactorCoding
import Testing

/// The Swift client while the server is killed, the network fails, and observers are slow.
@Suite(.blocking) struct SwiftClientFaultTests {
  /// The number of kills; `make test-faults` sets a larger one.
  private static let rounds =
    ProcessInfo.processInfo.environment["FAULT_ROUNDS"].flatMap { Int($0) } ?? 5

  @Test func `acknowledged actions are executed once and States arrive in order across kills`()
    async throws
  {
    let folder = try TemporaryFolder()
    let store = "sqlite:\(folder["log.db"])"
    let port = try ReservedPort()
    let listen = port.address
    let first = try ReactordProcess("--listen", listen, "--store", store)
    let client = try first.swiftClient()
    try first.stop()
    let counters = ["a", "b"].map { client.reactor(RemoteCounter.self, "counter", session: $0) }
    let states = counters.map { Recorder($0.state) }

    let acknowledged = Watched(0)
    let isOver = Watched(false)
    let senders = counters.map { counter in
      Task(executorPreference: BlockingThreads.shared) {
        var number = 0
        while !isOver.current {
          number += 1
          do { try await counter.send(.add(number)) } catch {
            Issue.record(error, "action \(number)")
            throw error
          }
          acknowledged.change { $0 += 1 }
        }
        return number
      }
    }
    for _ in 0..<Self.rounds {
      let server = try ReactordProcess("--listen", listen, "--store", store)
      client.resume()
      let goal = acknowledged.current + Int.random(in: 1...60)
      let isReached = acknowledged.first(within: .seconds(1200)) { $0 >= goal ? () : nil } != nil
      server.process.kill()
      try server.process.wait()
      try #require(isReached, "\(acknowledged.current) of \(goal) actions; \(server.standardError)")
    }

    let server = try ReactordProcess("--listen", listen, "--store", store)
    isOver.change { $0 = true }
    client.resume()
    for (index, counter) in counters.enumerated() {
      try await check(counter, try await senders[index].value, states[index])
    }
    #expect(server.process.isRunning)
  }

  /// Compares the log of a session with the actions that were sent, and the observed States with the log.
  private func check(
    _ counter: RemoteReactor<RemoteCounter>, _ count: Int, _ states: Recorder<RemoteCounter.State>
  ) async throws {
    // This action is sent after all others: when it has its response, the others have theirs.
    let final = try await counter.send(.add(1_000_000))
    try states.last { $0 == final }
    var amounts: [Int] = []
    while true {
      let page = try await counter.log(after: amounts.count, limit: 1000)
      guard !page.isEmpty else { break }
      for entry in page {
        let text = String(decoding: try #require(entry.action).bytes, as: UTF8.self)
        amounts.append(try #require(Int(text.filter(\.isNumber))))
      }
    }
    #expect(amounts.count == count + 1)
    #expect(Set(amounts).count == amounts.count)
    #expect(amounts == amounts.sorted())
    var sums: [Int] = [0]
    for amount in amounts { sums.append(sums[sums.count - 1] + amount) }
    let values = states.all.map(\.value)
    #expect(values == values.sorted())
    #expect(Set(values).isSubset(of: Set(sums)))
  }

  @Test func `a proxy that buffers, cuts and delays loses and doubles nothing`() async throws {
    let server = try ReactordProcess()
    let proxy = try FaultyProxy(to: server.port)
    let client = ReactorServer(url: try #require(URL(string: "http://127.0.0.1:\(proxy.port)")))
    let counter = client.reactor(RemoteCounter.self, "counter", session: "proxied")
    let states = Recorder(counter.state)
    for number in 1...100 { counter.action.onNext(.add(number)) }
    try states.last(within: .seconds(1200)) { $0.value == 5050 }
    // Read the log without the proxy, which would cut this response as well.
    let direct = try server.swiftClient()
    let log = try await direct.reactor(RemoteCounter.self, "counter", session: "proxied")
      .log(limit: 1000)
    let amounts = log.compactMap { entry in
      entry.action.flatMap { Int(String(decoding: $0.bytes, as: UTF8.self).filter(\.isNumber)) }
    }
    #expect(amounts == Array(1...100))
    #expect(proxy.cutCount > 0)
    let values = states.all.map(\.value)
    #expect(values == values.sorted())
  }

  @Test func `a thousand reactors share one stream and receive every State`() async throws {
    let server = try ReactordProcess()
    var configuration = ClientConfiguration()
    configuration.sessionsPerStream = 100
    let client = try server.swiftClient(configuration)
    let reactors = (0..<1000).map { number in
      client.reactor(RemoteCounter.self, "counter", session: "shared-\(number % 100)")
    }
    let values = Watched<[Int: Int]>([:])
    let bag = DisposeBag()
    for (number, reactor) in reactors.enumerated() {
      reactor.state.subscribe(onNext: { state in values.change { $0[number] = state.value } })
        .disposed(by: bag)
    }
    #expect(values.first(within: .seconds(1200)) { $0.count == 1000 ? () : nil } != nil)
    for reactor in reactors { reactor.action.onNext(.increase) }
    let isDone =
      values.first(within: .seconds(1200)) { $0.values.allSatisfy { $0 == 10 } ? () : nil } != nil
    #expect(isDone)
    let hasOneStream = try eventually {
      try server.client().get("/metrics").text.contains("\nreactord_streams 1\n")
    }
    #expect(hasOneStream)
  }

  @Test func `more sessions than the server takes per stream open another stream`() async throws {
    let server = try ReactordProcess()
    var configuration = ClientConfiguration()
    configuration.sessionsPerStream = 256
    let client = try server.swiftClient(configuration)
    let reactors = (0..<210).map {
      client.reactor(RemoteCounter.self, "counter", session: "many-\($0)")
    }
    let recorders = reactors.map { Recorder($0.state) }
    for recorder in recorders { try recorder.first { $0.value == 0 } }
    for reactor in reactors { reactor.action.onNext(.increase) }
    for recorder in recorders { try recorder.last { $0.value == 1 } }
  }

  @Test func `a slow observer skips to the latest State and delays no other`() async throws {
    let server = try ReactordProcess()
    let client = try server.swiftClient()
    let slow = client.reactor(RemoteCounter.self, "counter", session: "slow")
    let gate = DispatchSemaphore(value: 0)
    let seen = Watched<[Int]>([])
    let bag = DisposeBag()
    slow.state.subscribe(onNext: { state in
      seen.change { $0.append(state.value) }
      if state.value == 0 { gate.wait() }
    }).disposed(by: bag)
    _ = seen.first(within: Connection.timeout) { $0.first }
    let quick = client.reactor(RemoteCounter.self, "counter", session: "slow")
    let states = Recorder(quick.state)
    for _ in 0..<200 { quick.action.onNext(.increase) }
    try states.last { $0.value == 200 }
    #expect(seen.current == [0])
    gate.signal()
    _ = seen.first(within: Connection.timeout) { $0.last == 200 ? () : nil }
    // The quick reactor can have received the last State with a response before the stream
    // delivered it, so the slow observer can still see some States before the last one.
    #expect(seen.current == seen.current.sorted() && seen.current.count < 100)
  }

  @Test func `a rejected token is requested again, once for all streams and actions`() async throws
  {
    let folder = try TemporaryFolder()
    let file = folder["tokens"]
    try "the-first-token-of-two write\n".write(toFile: file, atomically: true, encoding: .utf8)
    let server = try ReactordProcess("--auth-tokens", file)
    let calls = Watched(0)
    // Five sessions with two sessions per stream open three streams, besides the actions.
    var configuration = ClientConfiguration()
    configuration.sessionsPerStream = 2
    let client = try server.swiftClient(configuration) { () async throws -> String in
      calls.change { $0 += 1 }
      return calls.current == 1 ? "a-token-that-has-expired" : "the-first-token-of-two"
    }
    let counters = (0..<5).map {
      client.reactor(RemoteCounter.self, "counter", session: "guarded-\($0)")
    }
    let recorders = counters.map { Recorder($0.state) }
    for counter in counters { counter.action.onNext(.increase) }
    for recorder in recorders { try recorder.last { $0.value == 1 } }
    #expect(calls.current == 2)
  }

  @Test func `an address without a server, and one of another server, are named`() async throws {
    let port = try ReservedPort()
    let nothing = ReactorServer(url: try #require(URL(string: "http://\(port.address)")))
    let counter = nothing.reactor(RemoteCounter.self, "counter", session: "x")
    let states = Recorder(counter.state)
    let connection = Recorder(counter.connection)
    try connection.first {
      if case .reconnecting(let p) = $0 { p.kind == .unreachable } else { false }
    }
    let problem = await #expect(throws: Problem.self) {
      try await counter.send(.increase, timeout: .milliseconds(50))
    }
    #expect(problem?.kind == .timedOut)
    let other = try ReactordProcess.shared.get()
    let page = ReactorServer(url: try #require(URL(string: other.url + "/examples")))
    let lost = page.reactor(RemoteCounter.self, "counter", session: "x")
    let ends = Recorder(lost.connection)
    let lostStates = Recorder(lost.state)
    try ends.first {
      if case .ended(let problem) = $0 { problem.kind == .unknownAddress } else { false }
    }
    #expect(states.all.isEmpty && lostStates.all.isEmpty)
    withExtendedLifetime(port) {}
  }
}
