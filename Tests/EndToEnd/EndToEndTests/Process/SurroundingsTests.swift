import Foundation
import Glibc
import Testing

/// Files, links and descriptors that differ from the intention of the operator.
@Suite(.blocking)
struct SurroundingsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func flags(_ store: String) -> [String] {
    ["serve", "--listen", "127.0.0.1:0", "--store", store]
  }

  /// Starts a service that must not start, and returns its one line of explanation.
  private func rejection(
    _ arguments: [String], code: Int32 = 78, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let process = try ReactordProcess.launch(
      arguments, program: "adjustable",
      environment: ["REACTORD_SUPERVISE": "false", "REACTORD_START_WAIT": "0"])
    #expect(try process.wait() == .code(code), sourceLocation: sourceLocation)
    #expect(process.standardOutput.isEmpty, sourceLocation: sourceLocation)
    let lines = process.standardError.split(separator: "\n")
    #expect(lines.count == 1, "\(lines)", sourceLocation: sourceLocation)
    return lines.first.map(String.init) ?? ""
  }

  // MARK: Stores

  @Test func `a second service is rejected by the file, whatever its name`() throws {
    let path = folder["log.db"]
    let server = try ReactordProcess("--store", "sqlite:" + path)
    #expect(try server.session(of: "counter").post(#""increase""#).status == 200)
    let files = FileManager.default
    try files.createSymbolicLink(atPath: folder["symbolic.db"], withDestinationPath: path)
    #expect(link(path, folder["hard.db"]) == 0)
    for name in ["log.db", "symbolic.db", "hard.db"] {
      #expect(try rejection(flags("sqlite:" + folder[name])).contains("in use"))
    }
    // The database itself is locked: removing lock files does not release the lock.
    for name in try files.contentsOfDirectory(atPath: folder.path) where name.contains("lock") {
      try files.removeItem(atPath: folder[name])
    }
    #expect(try rejection(flags("sqlite:" + path)).contains("in use"))
    #expect(try server.session(of: "counter").post(#""increase""#).status == 200)
  }

  @Test func `the files of a store are readable by their owner only`() throws {
    let server = try ReactordProcess(
      ["--store", "sqlite:" + folder["log.db"]],
      under: ["/bin/sh", "-c", #"umask 0; exec "$0" "$@""#])
    #expect(try server.session(of: "counter").post(#""increase""#).status == 200)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.contains("log.db") && names.contains("log.db-wal"))
    for name in names {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder[name])
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
    }
  }

  @Test func `an empty database beside its write-ahead log is rejected`() throws {
    let (path, files) = (folder["log.db"], FileManager.default)
    let server = try ReactordProcess("--store", "sqlite:" + path)
    #expect(try server.session(of: "counter").post(#""increase""#).status == 200)
    server.process.kill()
    try server.process.wait()
    #expect(truncate(path, 0) == 0)
    let log = files.contents(atPath: path + "-wal")
    #expect(log?.isEmpty == false)
    for _ in 1...2 {
      #expect(try rejection(flags("sqlite:" + path)).contains("write-ahead log"))
    }
    #expect(files.contents(atPath: path + "-wal") == log)
    #expect(files.contents(atPath: path)?.isEmpty == true)
  }

  @Test(arguments: ["/dev/null", "/dev/zero"])
  func `a device is no store`(path: String) throws {
    _ = try rejection(flags("sqlite:" + path))
  }

  // MARK: Sockets

  @Test func `a socket in a folder that does not exist creates none`() throws {
    let path = folder["missing/http.sock"]
    let line = try rejection(["serve", "--listen", "unix:" + path, "--store", "memory"])
    #expect(line.contains(path))
    #expect(!FileManager.default.fileExists(atPath: folder["missing"]))
  }

  // MARK: Configuration

  @Test(arguments: ["--config", "--auth-tokens", "--auth-jwt-keys", "--cluster-secret"])
  func `a FIFO is rejected at once, with and without a writer`(flag: String) throws {
    let fifo = folder["fifo"]
    #expect(mkfifo(fifo, 0o600) == 0)
    let node = ["--cluster-listen", "127.0.0.1:0"]
    let words =
      flag == "--cluster-secret" ? flags("postgres://127.0.0.1:1/db") + node : flags("memory")
    func line() throws -> String { try rejection(words + [flag, fifo]) }
    #expect(try line().contains(fifo))
    #expect(try line().contains(": it is a pipe"))
    let writer = open(fifo, O_RDWR | O_CLOEXEC)
    defer { close(writer) }
    #expect(write(writer, "{}", 2) == 2)
    #expect(try line().contains(": it is a pipe"))
  }

  @Test(arguments: [
    ("{\n  limits: { body: 1, }\n  listen: 'x' }", ":3:3:"),
    ("{\n  store: 'memory',\n\tstore: 'memory' }", ":3:2:"),
    ("{ limits: { body: 1 },\n 'lim\\u0069ts': { body: 2 } }", ":2:2:"),
    ("{ streams: {\n  heartbeets: 3 } }", ":2:3:"), ("{ /* ", ":1:3:"),
  ])
  func `an error in the configuration has its line and column`(text: String, place: String) throws {
    try text.write(toFile: folder["reactord.json5"], atomically: true, encoding: .utf8)
    let line = try rejection(flags("memory") + ["--config", folder["reactord.json5"]])
    #expect(line.contains(folder["reactord.json5"] + place), "\(line)")
  }

  // MARK: Descriptors

  @Test func `closed standard descriptors are not reused for the store or a client`() throws {
    let path = folder["log.db"]
    let shell = try ChildProcess(
      "/bin/sh",
      [
        "-c", #"exec "$0" serve --listen "unix:$1" --store "sqlite:$2" <&- >&- 2>&-"#,
        try ReactordProcess.path(), folder["http.sock"], path,
      ], environment: ["REACTORD_SUPERVISE": "false"])
    #expect(eventually { (try? curl("/readyz")) == "200" })
    for descriptor in 0...2 {
      let target = try FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/\(shell.id)/fd/\(descriptor)")
      #expect(target == "/dev/null")
    }
    #expect(try curl("/v1/reactors/counter/sessions/a/actions", #""increase""#) == "200")
    shell.signal(SIGTERM)
    #expect(try shell.wait() == .code(0))
    let verify = try ReactordProcess.launch(["log", "verify", "--store", "sqlite:" + path])
    #expect(try verify.wait() == .code(0))
  }

  /// The status of a request over the Unix-domain socket.
  private func curl(_ path: String, _ body: String? = nil) throws -> String {
    let action = body.map { ["-H", "Content-Type: application/json", "-d", $0] } ?? []
    let curl = try ChildProcess(
      "/usr/bin/curl",
      ["-s", "-o", "/dev/null", "-w", "%{http_code}", "--unix-socket", folder["http.sock"]]
        + action + ["http://localhost" + path])
    try curl.wait()
    return curl.standardOutput
  }
}
