import Foundation
import Glibc
import PostgresServers
import Testing

/// pgbouncer in transaction mode before a database, which passes each transaction to any of a few connections.
private final class Pooler {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../../.build/prometheus").standardizedFileURL.path
  private static let program = "\(root)/usr/sbin/pgbouncer"

  static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

  private let process: ChildProcess
  private let folder: TemporaryFolder
  private let port: ReservedPort

  init(before server: PostgresServer) throws {
    folder = try TemporaryFolder()
    port = try ReservedPort()
    let socket = URL(filePath: server.socket).deletingLastPathComponent().path
    try """
    [databases]
    * = host=\(socket) port=5432 user=postgres
    [pgbouncer]
    listen_addr = 127.0.0.1
    listen_port = \(port.port)
    unix_socket_dir =
    auth_type = any
    pool_mode = transaction
    default_pool_size = 6
    max_client_conn = 200
    \(geteuid() == 0 ? "user = postgres" : "")
    """.write(toFile: folder["pgbouncer.ini"], atomically: true, encoding: .utf8)
    let libraries = try FileManager.default.contentsOfDirectory(atPath: "\(Self.root)/usr/lib")
      .map { "\(Self.root)/usr/lib/\($0)" }
    process = try ChildProcess(
      Self.program, [folder["pgbouncer.ini"]],
      environment: ["LD_LIBRARY_PATH": libraries.joined(separator: ":")])
  }

  deinit { process.kill() }

  /// The address of the database through the pooler.
  var url: String { "postgres://postgres@\(port.address)/postgres?sslmode=disable" }
}

/// Several nodes behind a pooler in transaction mode.
@Suite(.blocking, .enabled(if: Pooler.isInstalled)) struct PoolerTests {
  @Test func `nodes behind a pooler act, stream, and take over`() throws {
    let server = try PostgresServer()
    let pooler = try Pooler(before: server)
    let cluster = try NodeCluster(
      ["--store", pooler.url, "--cluster-name", PostgresServer.newSchema()],
      environment: { _ in [:] })
    let path = "/v1/reactors/counter/sessions/demo"
    #expect(try cluster.clients(of: "counter", "demo")[0].post(#""increase""#).status == 200)
    let owner = try cluster.owner()
    let other = SessionClient(try cluster[(owner + 1) % 3].client(), path)
    let stream = try other.events()
    for value in 2...30 {
      let client = cluster.clients(of: "counter", "demo")[value % 3]
      #expect(try client.post(#""increase""#).json["value"]?.int == value)
    }
    let killed = try cluster.remove(owner)
    killed.process.kill()
    try killed.process.wait()
    for value in 31...60 {
      let client = cluster.clients(of: "counter", "demo")[value % 2]
      let response = try client.post(#""increase""#, ["Idempotency-Key": "\"\(value)\""])
      #expect(response.status == 200, "\(response.text)")
      #expect(response.cursor?.version == value)
    }
    let versions = try stream.events(upTo: 60).compactMap { $0.cursor?.version }
    #expect(zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 })
    // The pooler used fewer connections than the nodes have.
    let count = try server.query(
      "select count(*) from pg_stat_activity where application_name = 'reactord'")
    #expect(Int(count) ?? 99 <= 6)
  }
}
