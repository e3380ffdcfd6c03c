import Foundation
import Testing

/// Unix-domain sockets, and sockets of a service manager.
@Suite(.blocking)
struct ListeningTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `a Unix-domain socket is served, printed, and removed at the end`() throws {
    let path = folder["http.sock"]
    let server = try ReactordProcess.launch(
      ["serve", "--listen", "unix:\(path)", "--store", "memory"])
    #expect(server.firstLine() == "reactord listening on unix:\(path)")
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o660)

    let curl = try ChildProcess(
      "/usr/bin/curl",
      [
        "-sS", "--unix-socket", path, "-H", "Content-Type: application/json", "-d",
        #""increase""#, "http://localhost/v1/reactors/counter/sessions/a/actions",
      ])
    #expect(try curl.wait() == .code(0))
    #expect(curl.standardOutput == #"{"value":1}"#)
    let probe = try ReactordProcess.launch(["health", "--listen", "unix:\(path)"])
    #expect(try probe.wait() == .code(0))

    server.signal(SIGTERM)
    #expect(try server.wait() == .code(0))
    #expect(!FileManager.default.fileExists(atPath: path))
    let late = try ReactordProcess.launch(["health", "--listen", "unix:\(path)"])
    #expect(try late.wait() == .code(1))
    #expect(late.standardError.contains("unix:\(path) does not accept connections"))
  }

  @Test func `the socket file of a killed service is replaced`() throws {
    let path = folder["http.sock"]
    let flags = ["serve", "--listen", "unix:\(path)", "--store", "memory", "--start-wait", "0"]
    let first = try ReactordProcess.launch(flags, program: "adjustable")
    #expect(first.firstLine() != nil)
    let second = try ReactordProcess.launch(flags, program: "adjustable")
    #expect(try second.wait() == .code(78))
    #expect(second.standardError.contains("already in use"))
    first.kill()
    try first.wait()
    let third = try ReactordProcess.launch(flags, program: "adjustable")
    #expect(third.firstLine() == "reactord listening on unix:\(path)")
  }

  @Test func `an inherited socket is served instead of the configured one`() throws {
    let socket = try ListeningSocket()
    let server = try socket.activate("--store", "memory", "--listen", "127.0.0.1:1")
    #expect(server.firstLine() == "reactord listening on http://127.0.0.1:\(socket.port)")
    #expect(try HTTPClient(port: socket.port).get("/readyz").status == 200)
    server.signal(SIGTERM)
    #expect(try server.wait() == .code(0))
  }

  @Test func `the service manager is notified of the start and the end`() throws {
    let manager = try NotifySocket(path: folder["notify"])
    let server = try ReactordProcess(
      [], environment: ["NOTIFY_SOCKET": manager.path])
    #expect(manager.next() == "READY=1")
    #expect(try server.client().get("/readyz").status == 200)
    server.process.signal(SIGHUP)
    #expect(manager.next().hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
    #expect(manager.next() == "READY=1")
    try server.stop()
    #expect(manager.next() == "STOPPING=1")
  }

  @Test func `the service manager is notified as long as the threads respond`() throws {
    let manager = try NotifySocket(path: folder["notify"])
    let server = try ReactordProcess(
      [], program: "faulty",
      environment: [
        "NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "15000000",
        // As in config/package/reactord.service.
        "SWIFT_BACKTRACE": "enable=no",
      ])
    let messages = [manager.next(), manager.next(), manager.next()]
    #expect(messages.filter { $0 == "READY=1" }.count == 1)
    #expect(messages.filter { $0 == "WATCHDOG=1" }.count == 2)
    let session = server.session(of: "faulty")
    #expect(try session.post(#"{"add":1}"#).status == 200)
    // The request thread blocks: the process ends as after a crash, and the service manager restarts it.
    #expect(throws: (any Error).self) { try session.post(#"{"block":{"seconds":3000}}"#) }
    #expect(try server.process.wait() == .signal(SIGABRT))
    #expect(server.standardError.contains("a thread does not respond; the process ends threads="))
    #expect(server.standardError.contains("requests 1"))
  }

  @Test func `a service waits for the store of its predecessor, up to a time`() throws {
    let store = "sqlite:\(folder["store.db"])"
    let first = try ReactordProcess("--store", store)
    let hasty = try ReactordProcess.launch(
      ["serve", "--listen", "127.0.0.1:0", "--store", store, "--start-wait", "0"],
      program: "adjustable")
    #expect(try hasty.wait() == .code(78))
    let patient = try ReactordProcess.launch(
      ["serve", "--listen", "127.0.0.1:0", "--store", store])
    #expect(eventually { patient.standardError.contains("waiting for the store") })
    #expect(patient.isRunning)
    #expect(try first.stop() == .code(0))
    #expect(patient.firstLine()?.hasPrefix("reactord listening on http://") == true)
    let waiting = try ReactordProcess.launch(
      ["serve", "--listen", "127.0.0.1:0", "--store", store])
    #expect(eventually { waiting.standardError.contains("waiting for the store") })
    waiting.signal(SIGTERM)
    #expect(try waiting.wait() == .code(0))
  }
}
