import Foundation
import Testing

/// The settings of a node of a store in PostgreSQL.
struct LinkSettingsTests {
  /// A database that does not run: the settings are checked before it is used.
  private static let store = ["--store", "postgres://u@127.0.0.1:1/db"]

  @Test(arguments: [
    (
      store + ["--cluster-listen", "127.0.0.1:0"],
      "cluster.secret: a node with cluster.listen needs the secret"
    ),
    (
      store + ["--cluster-listen", "127.0.0.1:0", "--cluster-secret", "/nothing"],
      "cluster.secret: /nothing: No such file or directory"
    ),
    (
      store + ["--cluster-listen", "127.0.0.1:0", "--cluster-secret", "/etc/hostname"],
      "bytes; expected at least 32"
    ),
    (
      store + ["--cluster-listen", "0.0.0.0:7946", "--cluster-secret", "/etc/hostname"],
      "cluster.address: other nodes cannot connect to 0.0.0.0:7946"
    ),
    (
      store + [
        "--cluster-listen", "127.0.0.1:0", "--cluster-secret", "/etc/hostname",
        "--cluster-address", "[::]:7946",
      ],
      "cluster.address: other nodes cannot connect to [::]:7946"
    ),
    (store + ["--cluster-secret", "/etc/hostname"], "a node needs cluster.listen as well"),
    (
      ["--store", "memory", "--cluster-listen", "127.0.0.1:0"],
      "cluster.listen: nodes share a store postgres://, found memory"
    ),
    (
      ["--store", "nats://ada:secret@127.0.0.1:4222"],
      "expected memory, sqlite:PATH or postgres://USER@HOST/DATABASE, found nats://***@127.0.0.1:4222"
    ),
  ])
  func `settings that miss a part of a node end the start with one line`(
    _ flags: [String], _ text: String
  ) throws {
    let process = try ReactordProcess.launch(
      ["serve", "--listen", "127.0.0.1:0", "--start-wait", "0"] + flags, program: "adjustable",
      environment: ["REACTORD_SUPERVISE": "false"])
    #expect(try process.wait() == .code(78))
    let lines = process.standardError.split(separator: "\n")
    #expect(lines.last?.contains(text) == true, "\(process.standardError)")
    #expect(lines.count == 1)
  }

  @Test(arguments: ["127.0.0.1", "127.0.0.1:65536", "unix:/x", ":1", "a b:1"])
  func `text that is no address for other nodes is rejected`(_ address: String) throws {
    let process = try ReactordProcess.launch(["serve", "--cluster-listen", address])
    #expect(try process.wait() == .code(78))
    #expect(process.standardError.contains("expected HOST:PORT with a port from 0 to 65535"))
  }

  @Test func `nodes with another secret do not join each other, and say so`() throws {
    let folder = try TemporaryFolder()
    let store = try ReactordProcess.newDatabase()
    let nodes = try (1...2).map { number in
      let secret = folder["secret\(number)"]
      try "the secret of node \(number), more than 32 bytes".write(
        toFile: secret, atomically: true, encoding: .utf8)
      return try ReactordProcess(
        store + [
          "--cluster-listen", "127.0.0.1:0", "--cluster-secret", secret, "--cluster-node",
          "n\(number)",
        ])
    }
    #expect(
      eventually { nodes.contains { $0.standardError.contains("another cluster.secret") } })
    for node in nodes { #expect(try node.figure("ready_nodes") == 1) }
    // The database alone decides: no action is lost and none has two owners.
    let sessions = nodes.map {
      SessionClient($0.client(), "/v1/reactors/counter/sessions/divided")
    }
    for turn in 0..<6 {
      let response = try sessions[turn % 2].post(#""increase""#)
      #expect(try response.json == ["value": .number(Double(turn + 1))], "\(response.text)")
    }
    // The node that has lost the session has it in memory until it compares it with the database.
    #expect(try eventually { try sessions[0].state().json == ["value": 6] })
  }
}
