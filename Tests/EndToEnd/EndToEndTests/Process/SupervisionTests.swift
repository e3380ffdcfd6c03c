import Foundation
import Glibc
import Testing

/// A service that runs in a child process.
@Suite(.blocking)
struct SupervisionTests {
  private let folder: TemporaryFolder
  private let server: ReactordProcess

  init() throws {
    folder = try TemporaryFolder()
    server = try ReactordProcess(
      ["--store", "sqlite:" + folder["log.db"]], program: "faulty",
      environment: ["REACTORD_SUPERVISE": "true"])
  }

  /// The process of the service.
  private func service() throws -> pid_t { try server.service() }

  @Test func `a crash is followed by a restart with the same address and sessions`() throws {
    let session = server.session(of: "faulty")
    try session.post(#"{"add":1}"#)
    let first = try service()
    #expect(throws: (any Error).self) { try session.post(#""trapInMutate""#) }

    let next = SessionClient(server.client(), session.path)
    #expect(try next.post(#"{"add":2}"#).json["value"] == 3)
    #expect(try service() != first)
    #expect(eventually { server.standardError.contains("Index out of range") })
    #expect(eventually { server.standardError.contains("service crashed") })
    #expect(eventually { server.standardError.contains("SIG") })
  }

  @Test func `a connection waits for the restart`() throws {
    let session = server.session(of: "faulty")
    try session.post(#"{"add":1}"#)
    kill(try service(), SIGSTOP)
    let client = server.client()
    try client.start("GET", session.path + "/state")
    kill(try service(), SIGKILL)
    #expect(eventually { server.standardError.contains("service restarted") })
    let next = SessionClient(server.client(), session.path)
    #expect(try next.state().json["value"] == 1)
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `signals are forwarded, and the exit code is the service's`(_ number: Int32) throws {
    server.process.signal(number)
    #expect(try server.process.wait() == .code(0))
    #expect(server.standardError.contains("stopped"))
  }

  @Test func `a service that is stopped while it restarts exits with 0`() throws {
    kill(try service(), SIGKILL)
    #expect(eventually { server.standardError.contains("service crashed") })
    server.process.signal(SIGTERM)
    #expect(try server.process.wait() == .code(0))
  }

  @Test func `the service ends with its supervisor`() throws {
    let service = try service()
    server.process.kill()
    try server.process.wait()
    #expect(eventually { kill(service, 0) != 0 })
  }

  @Test func `an invalid store ends both with its exit code`() throws {
    let process = try ReactordProcess.launch(
      ["serve", "--listen", "127.0.0.1:0", "--store", "sqlite:/dev/null/log.db"], program: "faulty")
    let exit = try process.wait()
    #expect(exit == .code(73) || exit == .code(78))
  }

  @Test func `a restart for which the system has no descriptors is repeated`() throws {
    try limitDescriptors(to: 3)
    kill(try service(), SIGKILL)
    #expect(eventually { server.standardError.contains("the service cannot be started") })
    try limitDescriptors(to: 1024)
    #expect(eventually { (try? server.client().get("/healthz").status) == 200 })
  }

  /// Sets the soft limit of the open descriptors of the supervisor.
  private func limitDescriptors(to count: Int) throws {
    let program = try ChildProcess(
      "/usr/bin/prlimit", ["--pid", "\(server.process.id)", "--nofile=\(count):"])
    #expect(try program.wait() == .code(0))
  }

  @Test func `repeated crashes are restarted with a delay that does not grow`() throws {
    for _ in 0..<3 {
      let session = server.session(of: "faulty")
      #expect(throws: (any Error).self) { try session.post(#""trapInMutate""#) }
      #expect(eventually { (try? server.client().get("/healthz").status) == 200 })
    }
    let isLogged = eventually {
      server.standardError.components(separatedBy: "restart=\"0.1 seconds\"").count == 3
    }
    #expect(isLogged, "\(server.standardError)")
  }
}
