import Commands
import Foundation
import Glibc
import PostgresServers
import TestSupport

/// Three PostgreSQL servers with synchronous replication, and Patroni and etcd that select their primary.
///
/// The servers reach each other and etcd through proxies, and so do the nodes, so that each connection of a
/// network can be cut.
final class PatroniCluster: Sendable {
  /// A server, and the Patroni beside it.
  final class Member: Sendable {
    let index: Int
    /// The connections of other servers to this one, and those of its Patroni to etcd.
    let replication, etcd: CuttableProxy
    /// The connections of each node.
    let clients: [CuttableProxy]
    let disk: TemporaryFolder
    /// Whether the folder of the server is a small file system.
    let hasOwnDisk: Bool
    fileprivate let address, interface: ReservedPort
    fileprivate let patroni = Watched<Lifeline?>(nil)

    fileprivate init(_ index: Int, etcd: UInt16) throws {
      self.index = index
      (address, interface) = (try ReservedPort(), try ReservedPort())
      let port = address.port
      replication = try CuttableProxy(to: port)
      self.etcd = try CuttableProxy(to: etcd)
      clients = try (0..<3).map { _ in try CuttableProxy(to: port) }
      disk = try TemporaryFolder()
      let mounting = ["mount", "-t", "tmpfs", "-o", "size=1g", "tmpfs", disk.path]
      hasOwnDisk = try Command(mounting).status == 0
      try PostgresServer.handOver(disk.path)
    }

    deinit {
      patroni.current?.kill()
      if let server { _ = kill(server, SIGKILL) }
      if hasOwnDisk { _ = try? Command(["umount", "--lazy", disk.path]) }
    }

    /// All proxies of the member.
    var proxies: [CuttableProxy] { clients + [replication, etcd] }

    /// The output of Patroni and of the server.
    var output: String {
      (try? String(contentsOfFile: disk["output"], encoding: .utf8)) ?? ""
    }

    /// The id of the server's process.
    private var server: pid_t? {
      let text = try? String(contentsOfFile: disk["data/postmaster.pid"], encoding: .utf8)
      return text?.split(separator: "\n").first.flatMap { pid_t($0) }
    }

    /// Kills the server, and not Patroni.
    func killServer() {
      if let server { _ = kill(server, SIGKILL) }
    }

    /// Kills Patroni and the server, as the end of a machine would.
    func killAll() {
      patroni.current?.kill()
      patroni.change { $0 = nil }
      killServer()
    }

    /// Sends a signal to Patroni, and to the server and its processes.
    func signal(_ name: String, patroniOnly: Bool = false) throws {
      for id in [patroni.current?.id, patroniOnly ? nil : server].compactMap({ $0 }) {
        _ = try Command(["pkill", "-\(name)", "-P", "\(id)"])
        _ = try Command(["kill", "-\(name)", "\(id)"])
      }
    }

    /// Whether Patroni's interface confirms a role: `primary`, `sync` or `replica`.
    func isRole(_ role: String) throws -> Bool {
      let url = "http://\(interface.address)/\(role)"
      return try Command(["curl", "-fs", "-m", "5", "-o", "/dev/null", url]).status == 0
    }

    /// Hands the role of the primary over to a standby, by Patroni.
    func handOver() throws {
      let body = #"{"leader":"p\#(index + 1)"}"#
      _ = try Command([
        "curl", "-s", "-m", "30", "-o", "/dev/null", "-d", body,
        "http://\(interface.address)/switchover",
      ])
    }

    /// Executes SQL at this server.
    func query(_ sql: String) throws {
      let url = "postgres://postgres@\(address.address)/postgres?connect_timeout=5"
      _ = try Command(["psql", "-X", "-q", "-d", url, "-c", sql])
    }

    /// Occupies the rest of the disk; returns the file that does.
    func fillDisk() throws -> String {
      let descriptor = open(disk["filler"], O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      defer { close(descriptor) }
      var size = off_t(1 << 30)
      while size >= 4096 {
        var status = stat()
        fstat(descriptor, &status)
        if posix_fallocate(descriptor, status.st_size, size) != 0 { size /= 2 }
      }
      return disk["filler"]
    }
  }

  static let packages = ProcessInfo.processInfo.environment["PATRONI"]

  let members: [Member]
  private let folder: TemporaryFolder
  private let etcdPort: ReservedPort
  private let etcd: Watched<Lifeline?>

  /// Starts all servers, and waits until the primary has a synchronous standby.
  init() throws {
    folder = try TemporaryFolder()
    etcdPort = try ReservedPort()
    let peer = try ReservedPort()
    let url = "http://\(etcdPort.address)"
    let packages = try Self.folderOfPackages()
    etcd = Watched(
      try Lifeline(
        [
          "\(packages)/usr/bin/etcd", "--data-dir", folder["etcd"], "--listen-client-urls", url,
          "--advertise-client-urls", url, "--listen-peer-urls", "http://\(peer.address)",
          "--initial-advertise-peer-urls", "http://\(peer.address)", "--initial-cluster",
          "default=http://\(peer.address)", "--enable-v2", "--logger", "zap", "--log-level", "warn",
        ], output: folder["etcd-output"], signal: "KILL"))
    let port = etcdPort.port
    members = try (0..<3).map { try Member($0, etcd: port) }
    // The first one creates the database, of which the others make a copy.
    try start(members[0])
    guard try eventually({ try members[0].isRole("primary") }) else { throw failure }
    for member in members.dropFirst() { try start(member) }
    guard try eventually({ try members.contains { try $0.isRole("sync") } }),
      try eventually({ try members.count { try $0.isRole("replica") } == 2 })
    else { throw failure }
  }

  deinit { etcd.current?.end() }

  private var failure: ChildProcess.Failure {
    ChildProcess.Failure(
      description: members.map { String($0.output.suffix(3000)) }.joined(separator: "\n"))
  }

  /// The address of the database for a node: all servers, of which libpq selects the one that is not a standby.
  func url(ofNode index: Int) -> String {
    let ports = members.map { "\($0.clients[index].port)" }.joined(separator: ",")
    let hosts = members.map { _ in "127.0.0.1" }.joined(separator: ",")
    return "postgres://postgres@/postgres?host=\(hosts)&port=\(ports)"
      + "&target_session_attrs=read-write&connect_timeout=2&tcp_user_timeout=5000"
  }

  /// The member that is the primary, when one is.
  func primary() throws -> Member {
    var found: Member?
    guard
      try eventually({
        found = try members.first { try $0.isRole("primary") }
        return found != nil
      }), let found
    else { throw failure }
    return found
  }

  /// The synchronous standby, or another one.
  func standby() throws -> Member {
    var found: Member?
    guard
      try eventually({
        found = try members.first { try $0.isRole("sync") }
        return found != nil
      }), let found
    else { throw failure }
    return found
  }

  /// Stops or continues the execution of etcd.
  func signalEtcd(_ number: Int32) {
    if let id = etcd.current?.id { kill(id, number) }
  }

  /// Starts Patroni, which starts its server.
  func start(_ member: Member) throws {
    let packages = try Self.folderOfPackages()
    let file = member.disk["patroni.json"]
    try JSONSerialization.data(withJSONObject: settings(of: member)).write(to: URL(filePath: file))
    let words =
      PostgresServer.asServer
      + [
        "env", "PYTHONPATH=\(packages)/usr/lib/python3/dist-packages", "HOME=\(member.disk.path)",
        "python3", "\(packages)/usr/bin/patroni", file,
      ]
    let started = try Lifeline(
      words, output: member.disk["output"], signal: "KILL",
      afterwards: """
        kill -KILL $(head -n 1 '\(member.disk["data/postmaster.pid"])') 2>/dev/null
        """)
    member.patroni.change { $0 = started }
  }

  private func settings(of member: Member) throws -> [String: Any] {
    let user = ["username": "postgres"]
    return [
      "scope": "reactord", "name": "p\(member.index + 1)",
      "restapi": [
        "listen": member.interface.address, "connect_address": member.interface.address,
      ],
      // By the API of version 2: by that of version 3, a Patroni 3.0 that was paused takes the lock of the next primary
      // back. Without discovery, which would bypass the proxy.
      "etcd": ["host": "127.0.0.1:\(member.etcd.port)", "use_proxies": true],
      "bootstrap": [
        "dcs": [
          "ttl": 8, "loop_wait": 1, "retry_timeout": 3, "synchronous_mode": true,
          "postgresql": [
            "use_pg_rewind": true, "use_slots": true,
            "parameters": [
              "max_connections": 200, "shared_buffers": "64MB", "fsync": "off",
              "max_wal_size": "128MB", "wal_keep_size": "64MB", "max_slot_wal_keep_size": "256MB",
              "wal_sender_timeout": "5s", "wal_receiver_timeout": "5s",
            ],
          ],
        ] as [String: Any],
        "initdb": ["no-sync", ["encoding": "UTF8"], ["locale": "C.UTF-8"]] as [Any],
        "pg_hba": [
          "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust",
        ],
      ] as [String: Any],
      "postgresql": [
        "listen": member.address.address,
        "connect_address": "127.0.0.1:\(member.replication.port)",
        "data_dir": member.disk["data"], "bin_dir": try PostgresServer.findPrograms(),
        "pgpass": member.disk["pgpass"],
        "authentication": ["superuser": user, "replication": user, "rewind": user],
        "parameters": ["unix_socket_directories": member.disk.path],
      ] as [String: Any],
    ]
  }

  private static func folderOfPackages() throws -> String {
    guard let packages, FileManager.default.fileExists(atPath: "\(packages)/usr/bin/patroni") else {
      throw ChildProcess.Failure(
        description: "PATRONI is not the folder of config/unpack-packages patroni-unpacked")
    }
    return packages
  }
}
