import Foundation
import Testing

/// The files in `config/deployment` for Compose and Kubernetes use existing settings, and agree
/// with each other.
@Suite(.blocking) struct DeploymentExampleTests {
  private static let root = Guide.root

  /// Returns the YAML documents of a file.
  private func documents(_ name: String) throws -> [[String: Any]] {
    let script = """
      import json, sys, yaml
      with open(sys.argv[1]) as file:
        print(json.dumps(list(yaml.safe_load_all(file))))
      """
    let path = Self.root.appending(path: "config/deployment/\(name)").path
    let (exit, output) = try PythonTool.run("python", ["-c", script, path])
    #expect(exit == .code(0), "\(output)")
    let decoded = try JSONSerialization.jsonObject(with: Data(output.utf8))
    return try #require(decoded as? [[String: Any]])
  }

  /// Returns the value at a path of keys and indexes.
  private func value<Value>(_ path: [Any], in document: Any) throws -> Value {
    var current: Any = document
    for step in path {
      if let key = step as? String {
        current = try #require((current as? [String: Any])?[key], "\(key) of \(path)")
      } else if let index = step as? Int {
        current = try #require(current as? [Any])[index]
      }
    }
    return try #require(current as? Value)
  }

  /// The environment of a node in a Compose file.
  private func composeEnvironment(of node: String = "n1") throws -> [String: String] {
    let compose = try #require(try documents("compose.yml").first)
    return try value(["services", node, "environment"], in: compose)
  }

  private func deployment(
    _ kind: String, _ name: String, in file: String = "kubernetes.yml"
  ) throws -> [String: Any] {
    let found = try documents(file).first { document in
      document["kind"] as? String == kind
        && (document["metadata"] as? [String: Any])?["name"] as? String == name
    }
    return try #require(found)
  }

  private func kubernetesEnvironment() throws -> [String: String] {
    try environment(of: deployment("Deployment", "reactord"))
  }

  private func oneNode() throws -> [String: Any] {
    try deployment("StatefulSet", "reactord", in: "kubernetes-one-node.yml")
  }

  private func environment(of workload: [String: Any]) throws -> [String: String] {
    let list: [[String: Any]] = try value(
      ["spec", "template", "spec", "containers", 0, "env"], in: workload)
    var environment: [String: String] = [:]
    for variable in list {
      let name: String = try value(["name"], in: variable)
      let text: String = try #require(variable["value"] as? String ?? Self.known[name])
      environment[name] = text
    }
    for (name, text) in environment {
      environment[name] = text.replacing("$(POD_IP)", with: Self.known["POD_IP"] ?? "")
    }
    return environment.filter { $0.key != "POD_IP" }
  }

  /// The values that Kubernetes gets from the pod and from the secret of the operator.
  private static let known = [
    "POD_IP": "10.1.2.3", "REACTORD_CLUSTER_NODE": "reactord-7d8f",
    "REACTORD_STORE": "postgresql://reactord:secret@reactord-db-rw.default:5432/reactord",
  ]

  /// The environment variables of the settings table.
  private func settings() throws -> Set<String> {
    let table = try String(
      contentsOf: Self.root.appending(
        path: "Sources/Server/ReactorService/Documentation.docc/Settings.md"), encoding: .utf8)
    return Set(
      table.matches(of: /(?m)^\| `([a-z.]+)` \|/).map {
        "REACTORD_" + $0.output.1.uppercased().replacing(".", with: "_")
      })
  }

  @Test func `every variable is a setting, and both files set the same ones`() throws {
    let settings = try settings()
    #expect(settings.count > 50)
    let (compose, kubernetes) = (try composeEnvironment(), try kubernetesEnvironment())
    for name in compose.keys { #expect(settings.contains(name), "\(name)") }
    // The proxy of Compose is known, and that of Kubernetes depends on the cluster.
    #expect(Set(compose.keys) == Set(kubernetes.keys).union(["REACTORD_HTTP_PROXIES"]))
    #expect(compose["REACTORD_STORE"]?.hasPrefix("postgres://") == true)
  }

  @Test func `the nodes of Compose differ in their names and addresses only`() throws {
    let (first, second) = (try composeEnvironment(), try composeEnvironment(of: "n2"))
    let different = first.keys.filter { first[$0] != second[$0] }
    #expect(Set(different) == ["REACTORD_CLUSTER_NODE", "REACTORD_CLUSTER_ADDRESS"])
    #expect(first.count == second.count)
  }

  /// The Pod Security standard "restricted" needs these members, and no volumes but a few kinds.
  @Test(arguments: [true, false])
  func `the pods are restricted`(_ isCluster: Bool) throws {
    let workload = try isCluster ? deployment("Deployment", "reactord") : oneNode()
    let pod: [String: Any] = try value(["spec", "template", "spec"], in: workload)
    let isNonRoot: Bool = try value(["securityContext", "runAsNonRoot"], in: pod)
    let profile: String = try value(["securityContext", "seccompProfile", "type"], in: pod)
    #expect(isNonRoot && profile == "RuntimeDefault")
    let container: [String: Any] = try value(["containers", 0, "securityContext"], in: pod)
    let escalates: Bool = try value(["allowPrivilegeEscalation"], in: container)
    let dropped: [String] = try value(["capabilities", "drop"], in: container)
    #expect(!escalates && dropped == ["ALL"])
    for volume in pod["volumes"] as? [[String: Any]] ?? [] { #expect(volume["secret"] != nil) }
    for key in ["hostNetwork", "hostPID", "hostIPC"] { #expect(pod[key] == nil) }
  }

  @Test(arguments: ["compose", "kubernetes"])
  func `the service accepts the values`(_ file: String) throws {
    var environment = try file == "compose" ? composeEnvironment() : kubernetesEnvironment()
    environment["REACTORD_SUPERVISE"] = "false"
    environment["REACTORD_START_WAIT"] = "0"
    environment["REACTORD_LISTEN"] = "127.0.0.1:0"
    // No database listens there: the service accepts the settings, and then fails to start.
    environment["REACTORD_STORE"] = environment["REACTORD_STORE"]?
      .replacing(/@[^\/]*\//, with: "@127.0.0.1:1/").replacing(/\$\{[^}]*\}/, with: "secret")
    let folder = try TemporaryFolder()
    environment["REACTORD_CLUSTER_SECRET"] = folder["secret"]
    try String(repeating: "a", count: 64).write(
      toFile: folder["secret"], atomically: true, encoding: .utf8)
    let process = try ReactordProcess.launch(
      ["serve"], program: "adjustable", environment: environment)
    #expect(try process.wait() == .code(78))
    let error = process.standardError
    #expect(error.contains("127.0.0.1") && !error.contains("secret@"), "\(error)")
  }

  @Test func `one node keeps its store on a volume that it may write`() throws {
    let workload = try oneNode()
    let replicas: Int = try value(["spec", "replicas"], in: workload)
    #expect(replicas == 1)
    var environment = try self.environment(of: workload)
    let settings = try settings()
    for name in environment.keys { #expect(settings.contains(name), "\(name)") }
    let mount: String = try value(
      ["spec", "template", "spec", "containers", 0, "volumeMounts", 0, "mountPath"], in: workload)
    let store = try #require(environment["REACTORD_STORE"])
    environment["REACTORD_STORE"] = nil
    #expect(store.hasPrefix("sqlite:\(mount)/"))
    let group: Int = try value(
      ["spec", "template", "spec", "securityContext", "fsGroup"], in: workload)
    #expect(group == 10_001)
    let period: Int = try value(
      ["spec", "template", "spec", "terminationGracePeriodSeconds"], in: workload)
    let grace = try #require(environment["REACTORD_SHUTDOWN_GRACE"].flatMap { Int($0) })
    #expect(period > grace)
    // The service starts with these values, in another folder.
    let folder = try TemporaryFolder()
    let server = try ReactordProcess(
      ["--store", store.replacing(mount, with: folder.path)], environment: environment)
    #expect(try server.client().get("/readyz").status == 200)
    try server.stop()
  }

  @Test func `the platforms wait longer for the end of the service than it drains`() throws {
    let grace = try #require(
      try kubernetesEnvironment()["REACTORD_SHUTDOWN_GRACE"].flatMap { Int($0) })
    let period: Int = try value(
      ["spec", "template", "spec", "terminationGracePeriodSeconds"],
      in: try deployment("Deployment", "reactord"))
    #expect(period > grace)
    let compose = try #require(try documents("compose.yml").first)
    let stop: String = try value(["services", "n1", "stop_grace_period"], in: compose)
    #expect(try #require(Int(stop.dropLast())) > grace)
  }

  @Test func `a commit waits for a standby, and the connections of all nodes fit`() throws {
    let database = try deployment("Cluster", "reactord-db")
    let instances: Int = try value(["spec", "instances"], in: database)
    #expect(instances >= 3)
    let standbys: Int = try value(
      ["spec", "postgresql", "synchronous", "number"], in: database)
    #expect(standbys == 1)
    let limit: String = try value(
      ["spec", "postgresql", "parameters", "max_connections"], in: database)
    let nodes: Int = try value(["spec", "replicas"], in: try deployment("Deployment", "reactord"))
    // One node more while they are replaced.
    #expect(try #require(Int(limit)) >= (nodes + 1) * 15)
  }
}
