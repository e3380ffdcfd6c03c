import Foundation
import Testing

/// The files in `config/deployment` for Compose and Kubernetes use existing settings, and agree
/// with each other.
@Suite(.blocking) struct DeploymentExampleTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

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

  /// The environment of the service in a Compose file.
  private func composeEnvironment() throws -> [String: String] {
    let compose = try #require(try documents("compose.yml").first)
    return try value(["services", "reactord", "environment"], in: compose)
  }

  private func deployment(_ kind: String, _ name: String) throws -> [String: Any] {
    let found = try documents("kubernetes.yml").first { document in
      document["kind"] as? String == kind
        && (document["metadata"] as? [String: Any])?["name"] as? String == name
    }
    return try #require(found)
  }

  private func kubernetesEnvironment() throws -> [String: String] {
    let list: [[String: Any]] = try value(
      ["spec", "template", "spec", "containers", 0, "env"],
      in: try deployment("Deployment", "reactord"))
    var environment: [String: String] = [:]
    // Skip the name of the node, which is the name of the pod.
    for variable in list where variable["valueFrom"] == nil {
      environment[try value(["name"], in: variable)] = try value(["value"], in: variable)
    }
    return environment
  }

  /// The environment variables of the settings table.
  private func settings() throws -> Set<String> {
    let table = try String(
      contentsOf: Self.root.appending(
        path: "Sources/ReactorService/Documentation.docc/Settings.md"), encoding: .utf8)
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
    #expect(Set(compose.keys) == Set(kubernetes.keys))
    #expect(compose["REACTORD_STORE"] == kubernetes["REACTORD_STORE"])
  }

  @Test(arguments: ["compose", "kubernetes"])
  func `the service accepts the values`(_ file: String) throws {
    var environment = try file == "compose" ? composeEnvironment() : kubernetesEnvironment()
    environment["REACTORD_SUPERVISE"] = "false"
    environment["REACTORD_START_WAIT"] = "0"
    environment["REACTORD_LISTEN"] = "127.0.0.1:0"
    // No broker has these names: the service accepts the settings, and then fails to start.
    environment["REACTORD_STORE"] = environment["REACTORD_STORE"]?
      .replacing(/nats-\d\.nats:4222/, with: "127.0.0.1:1")
    let process = try ReactordProcess.launch(["serve"], environment: environment)
    #expect(try process.wait() == .code(78))
    #expect(process.standardError.contains("cannot be reached"), "\(process.standardError)")
  }

  @Test func `the platforms wait longer for the end of the service than it drains`() throws {
    let grace = try #require(
      try kubernetesEnvironment()["REACTORD_SHUTDOWN_GRACE"].flatMap { Int($0) })
    let period: Int = try value(
      ["spec", "template", "spec", "terminationGracePeriodSeconds"],
      in: try deployment("Deployment", "reactord"))
    #expect(period > grace)
    let compose = try #require(try documents("compose.yml").first)
    let stop: String = try value(["services", "reactord", "stop_grace_period"], in: compose)
    #expect(try #require(Int(stop.dropLast())) > grace)
  }

  @Test func `the brokers are three, and have the configuration that the article names`() throws {
    let brokers: Int = try value(["spec", "replicas"], in: try deployment("StatefulSet", "nats"))
    #expect(brokers == 3)
    let compose = try #require(try documents("compose.yml").first)
    let services: [String: Any] = try value(["services"], in: compose)
    #expect(services.keys.filter { $0.hasPrefix("nats-") }.count == 3)
    let configuration = try String(
      contentsOf: Self.root.appending(path: "config/deployment/broker.conf"), encoding: .utf8)
    let article = try String(
      contentsOf: Self.root.appending(
        path: "Sources/ReactorService/Documentation.docc/Clusters.md"), encoding: .utf8)
    for line in ["max_payload: 8MB", "ping_max: 2", "sync_interval: always"] {
      #expect(configuration.contains(line))
      #expect(article.contains(line))
    }
  }
}
