import Foundation
import Glibc
import Testing

/// A node that runs in a child process of its supervisor.
@Suite(.blocking) struct SupervisedNodeTests {
  @Test func `a node that crashes is restarted, joins again, and serves its sessions`() throws {
    let cluster = try NodeCluster(
      count: 2, program: "faulty", environment: ["REACTORD_SUPERVISE": "true"])
    let (first, second) = (try cluster[0], try cluster[1])
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
  }

  /// The process of the service.
  private func child(of server: ReactordProcess) throws -> pid_t {
    let id = server.process.id
    let children = try String(
      contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)
    return try #require(children.split(separator: " ").first.flatMap { pid_t($0) })
  }
}
