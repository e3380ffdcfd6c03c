import Foundation
import ReactorClient
import ReactorCoding
import Testing

/// The offline queue of the Swift client across restarts of the app.
@Suite(.blocking) struct SwiftClientOfflineTests {
  @Test func `actions of an earlier process are sent in order after a restart of the app`()
    async throws
  {
    let folder = try TemporaryFolder()
    var configuration = ClientConfiguration()
    configuration.offlineQueue = URL(filePath: folder["actions"])
    let port = try ReservedPort()
    let url = try #require(URL(string: "http://\(port.address)"))
    do {
      let client = ReactorServer(url: url, configuration: configuration)
      let counter = client.reactor(RemoteCounter.self, "counter", session: "offline")
      for number in 1...20 { counter.action.onNext(.add(number)) }
      client.close()
    }
    let server = try ReactordProcess("--listen", port.address)
    let client = ReactorServer(url: url, configuration: configuration)
    let counter = client.reactor(RemoteCounter.self, "counter", session: "offline")
    #expect(try await counter.send(.add(1000)).value == 1210)
    let amounts = try await counter.log().compactMap { entry in
      entry.action.flatMap { Int(String(decoding: $0.bytes, as: UTF8.self).filter(\.isNumber)) }
    }
    #expect(amounts == Array(1...20) + [1000])
    #expect(try Data(contentsOf: URL(filePath: folder["actions"])).isEmpty)
    withExtendedLifetime((server, port)) {}
  }

  @Test func `an app that is killed at any time sends its actions once and in order`() async throws
  {
    let folder = try TemporaryFolder()
    let port = try ReservedPort()
    let program = try ReactordProcess.path(of: "offline")
    func start(_ first: Int, count: Int) throws -> ChildProcess {
      try ChildProcess(
        program,
        ["http://\(port.address)", folder["queue"], "killed", "\(first)", "\(count)"])
    }
    var server: ReactordProcess?
    var queued: [Int] = []
    for round in 0..<8 {
      // The first two rounds are offline.
      if round == 2 { server = try ReactordProcess("--listen", port.address, "--store", "memory") }
      // Skip one number: the app can have queued it without having printed it.
      let first = (queued.last ?? 0) + 2
      let app = try start(first, count: 30)
      #expect(app.output(contains: "\(first + Int.random(in: 0..<30))\n"))
      app.kill()
      try app.wait()
      queued += app.standardOutput.split(separator: "\n").compactMap { Int($0) }
    }
    let app = try start((queued.last ?? 0) + 2, count: 1)
    try #require(app.output(contains: "done"))
    queued += [(queued.last ?? 0) + 2]

    let client = try #require(server).swiftClient()
    let log = try await client.reactor(RemoteCounter.self, "counter", session: "killed")
      .log(limit: 1000)
    let sums = log.compactMap { entry in
      entry.action.flatMap { Int(String(decoding: $0.bytes, as: UTF8.self).filter(\.isNumber)) }
    }
    // Without the actions `add(0)`, which follow the numbers of a round.
    let numbers = sums.filter { $0 != 0 }
    #expect(numbers == numbers.sorted())
    #expect(Set(numbers).count == numbers.count)
    #expect(Set(queued).isSubset(of: numbers))
    #expect(try Data(contentsOf: URL(filePath: folder["queue"])).isEmpty)
  }

  @Test func `the file beside an action that is stuck is bounded, also in an app that is killed`()
    async throws
  {
    let folder = try TemporaryFolder()
    let server = try ReactordProcess()
    let program = try ReactordProcess.path(of: "offline")
    let file = URL(filePath: folder["queue"])
    var stuck: [Int] = []
    for round in 0..<6 {
      let first = round * 10_000 + 1
      let app = try ChildProcess(
        program, [server.url, file.path(), "rewritten", "\(first)", "500", "stuck"])
      if round.isMultiple(of: 2) {
        try #require(app.output(contains: "done"))
      } else {
        #expect(app.output(contains: "\(first + Int.random(in: 0..<500))\n"))
      }
      app.kill()
      try app.wait()
      stuck.append(first)
      let size = try FileManager.default.attributesOfItem(atPath: file.path())[.size] as? Int
      // Of at most 1000 actions that were pending at the same time.
      #expect(try #require(size) < 400_000)
    }
    for session in ["rewritten", "stuck"] {
      let app = try ChildProcess(program, [server.url, file.path(), session, "100000", "1"])
      try #require(app.output(contains: "done"))
      try app.wait()
    }
    #expect(try Data(contentsOf: file).isEmpty)
    let client = try server.swiftClient()
    func numbers(_ session: String) async throws -> [Int] {
      let counter = client.reactor(RemoteCounter.self, "counter", session: session)
      var (numbers, last) = ([Int](), 0)
      while case let page = try await counter.log(after: last, limit: 1000), let end = page.last {
        numbers += page.compactMap { entry in
          entry.action.flatMap {
            Int(String(decoding: $0.bytes, as: UTF8.self).filter(\.isNumber))
          }
        }
        last = end.version
      }
      return numbers.filter { $0 != 0 }
    }
    let delayed = try await numbers("stuck")
    #expect(delayed == stuck + [100_000])
    let sent = try await numbers("rewritten")
    #expect(sent == sent.sorted() && Set(sent).count == sent.count)
    #expect(Set(sent).isSuperset(of: 1...500) && sent.last == 100_000)
  }
}
