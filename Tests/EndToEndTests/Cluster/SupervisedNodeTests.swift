import Foundation
import Glibc
import Testing

/// A node that runs in a child process of its supervisor.
@Suite(.blocking) struct SupervisedNodeTests {
  @Test func `a node that crashes is restarted, joins again, and serves its sessions`() throws {
    let store = try NATSStore()
    let supervised = ["REACTORD_SUPERVISE": "true"]
    let flags = store.flags + ["--cluster-suspect", "60"]
    let first = try ReactordProcess(
      flags + ["--cluster-node", "n1"], program: "faulty", environment: supervised)
    let second = try ReactordProcess(
      flags + ["--cluster-node", "n2"], program: "faulty", environment: supervised)
    for node in [first, second] {
      #expect(try eventually { try node.figure("ready_nodes") == 2 })
    }
    let sessions = [first, second].flatMap { node in
      (0..<6).map { SessionClient(node.client(), "/v1/reactors/faulty/sessions/s\($0)") }
    }
    for (index, session) in sessions.enumerated() {
      #expect(try session.post(#"{"add":1}"#).json["value"] == .number(index < 6 ? 1 : 2))
    }
    let service = try child(of: first)
    kill(service, SIGKILL)
    #expect(eventually { first.standardError.contains("service restarted") })
    // The new incarnation has the same address, and replaces the previous one in the list of nodes.
    for node in [first, second] {
      #expect(eventually { (try? node.figure("ready_nodes")) == 2 })
      #expect(eventually { (try? node.figure("nodes")) == 2 })
    }
    #expect(try child(of: first) != service)
    for node in [first, second] {
      for id in 0..<6 {
        let session = SessionClient(node.client(), "/v1/reactors/faulty/sessions/s\(id)")
        #expect(try session.post(#"{"add":1}"#).json["value"] == .number(node === first ? 3 : 4))
      }
    }
    #expect(
      eventually { first.standardError.components(separatedBy: "joined the cluster").count == 3 })
    #expect(try MetricsReading(second.client())["reactord_log_forks_total"] == 0)
  }

  /// The process of the service.
  private func child(of server: ReactordProcess) throws -> pid_t {
    let id = server.process.id
    let children = try String(
      contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)
    return try #require(children.split(separator: " ").first.flatMap { pid_t($0) })
  }
}
