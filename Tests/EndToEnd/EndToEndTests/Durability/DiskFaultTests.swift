import Foundation
import Synchronization
import Testing

/// A disk whose calls fail for a while.
@Suite(.blocking) struct DiskFaultTests {
  private let folder: TemporaryFolder
  private let machine: FaultyMachine
  private let server: ReactordProcess
  private let session: SessionClient

  init() throws {
    folder = try TemporaryFolder()
    machine = try FaultyMachine(files: folder)
    server = try ReactordProcess(
      ["--store", "sqlite:\(folder["log.db"])"], environment: machine.environment)
    session = server.session(of: "counter")
  }

  @Test(arguments: FaultyMachine.Call.allCases)
  func `an error of the disk is a problem until it ends`(
    call: FaultyMachine.Call
  ) throws {
    #expect(try session.post(#""increase""#).status == 200)
    try machine.fail(call)
    for _ in 0..<3 {
      let rejected = try session.post(#""increase""#)
      try expectProblem(rejected, 503, "unavailable")
      #expect(rejected["Retry-After"] != nil)
    }
    try expectProblem(server.client().get("/readyz"), 503, "unavailable")
    #expect(try server.client().get("/healthz").status == 200)
    #expect(try session.state().json == ["value": 1])
    let other = SessionClient(server.client(), session.siblings + "/other")
    try expectProblem(other.put(), 503, "unavailable")

    machine.mend()
    #expect(try session.post(#""increase""#).json == ["value": 2])
    #expect(try server.client().get("/readyz").status == 200)
    #expect(try other.put().status == 201)
    try expectDurable(2)
  }

  @Test(arguments: FaultyMachine.Call.allCases)
  func `a store that cannot be written stops the start`(call: FaultyMachine.Call) throws {
    try server.stop()
    try machine.fail(call)
    let process = try ReactordProcess.launch(
      ["serve", "--listen", "127.0.0.1:0", "--store", "sqlite:\(folder["log.db"])"],
      environment: machine.environment)
    let exit = try process.wait()
    #expect(exit == .code(73) || exit == .code(78))
    #expect(process.standardError.contains("the store \"\(folder["log.db"])\""))
  }

  @Test func `a sync without room is a full disk`() throws {
    #expect(try session.post(#""increase""#).status == 200)
    try machine.fail(.sync, with: ENOSPC)
    try expectProblem(session.post(#""increase""#), 507, "storage-full")
    machine.mend()
    #expect(try session.post(#""increase""#).json == ["value": 2])
    try expectDurable(2)
  }

  // The sync fails after all bytes were written, so the file contains the rejected action.
  @Test(arguments: [EIO, ENOSPC])
  func `rejected actions are absent after a crash, once the disk works again`(
    error: Int32
  ) throws {
    #expect(try session.post(#""increase""#).status == 200)
    try machine.fail(.sync, with: error)
    #expect(try session.post(#""increase""#).status == (error == EIO ? 503 : 507))
    machine.mend()
    #expect(
      eventually {
        server.standardError.contains("store is written again")
      })
    try expectDurable(1)
  }

  @Test
  func `an action that is repeated with its key is executed once, however often the disk fails`()
    throws
  {
    let isOver = Atomic(false)
    let path = session.path
    let port = server.port
    // The first fault begins before the first action, and lasts until an action is rejected.
    try machine.fail(.sync)
    let rejections = Watched(0)
    _ = try concurrently(5) { [machine] index in
      if index == 0 {
        _ = rejections.first(within: Connection.timeout) { $0 > 0 ? true : nil }
        machine.mend()
        while !isOver.load(ordering: .relaxed) {
          try machine.fail(Bool.random() ? .sync : .write)
          Thread.sleep(forTimeInterval: .random(in: 0.01...0.1))
          machine.mend()
          Thread.sleep(forTimeInterval: .random(in: 0.01...0.1))
        }
        return
      }
      // The first writer that ends also ends the faults.
      defer { isOver.store(true, ordering: .relaxed) }
      try Self.write(50, as: index, to: SessionClient(HTTPClient(port: port), path)) {
        rejections.change { $0 += 1 }
      }
    }
    #expect(rejections.current > 0)
    try expectDurable((1...4).reduce(0) { $0 + $1 * 50 })
    let again = try ReactordProcess("--store", "sqlite:\(folder["log.db"])")
    #expect(try session(of: again).log("?limit=1000").json.array?.count == 200)
  }

  /// Adds a number several times, and repeats each action until it is acknowledged.
  private static func write(
    _ count: Int, as number: Int, to session: SessionClient, rejected: () -> Void
  ) throws {
    for place in 0..<count {
      let key = ["Idempotency-Key": "\"\(number)-\(place)\""]
      while true {
        let response = try session.post(#"{"add":\#(number)}"#, key)
        if response.status == 200 { break }
        #expect(response.status == 503)
        rejected()
      }
    }
  }

  private func session(of server: ReactordProcess) -> SessionClient {
    SessionClient(server.client(), session.path)
  }

  /// Checks that a restarted service has the same state.
  private func expectDurable(_ value: Int) throws {
    server.process.kill()
    try server.process.wait()
    let again = try ReactordProcess("--store", "sqlite:\(folder["log.db"])")
    #expect(try session(of: again).state().json == ["value": .number(Double(value))])
    // The lock on the store is released when the process has ended.
    again.process.kill()
    try again.process.wait()
  }
}
