internal import Glibc
internal import ReactorCluster
internal import ReactorHTTP
internal import ReactorLog
internal import Synchronization
internal import SystemThreads
internal import TerminalClient

extension ServiceContext {
  /// The settings of this process as a node.
  var clusterSettings: ClusterSettings {
    var settings = ClusterSettings()
    settings.suspect = configuration.clusterSuspect.milliseconds
    settings.handOver = configuration.shutdownGrace.milliseconds / 2
    return settings
  }

  /// The name of this node: `cluster.node`, or the name of the machine with the port; without a
  /// port of its own, with the process id.
  var nodeName: String {
    let name = configuration.clusterNode.text
    guard name.isEmpty else { return name }
    if hasInheritedSockets { return "\(HostName.current)-\(getpid())" }
    guard case .network(_, let port) = configuration.listen, port != 0 else {
      return "\(HostName.current)-\(getpid())"
    }
    return "\(HostName.current)-\(port)"
  }

  /// The settings that must be equal on all nodes, because the response to a request depends on them.
  static let sharedSettings: Set<String> = [
    "sessions.create", "actions.idempotency", "limits.state", "auth.query", "auth.jwt.issuer",
    "auth.jwt.audience", "auth.cookie", "auth.rules", "auth.claims", "auth.issuers",
    "auth.introspection.url", "auth.introspection.client", "auth.webhook.url",
  ]

  /// Returns a hash of ``sharedSettings`` and of the contents of the files of keys, tokens and the
  /// secret.
  ///
  /// - Parameter credentials: The settings of the group `auth` that are in use since the last reload.
  /// - Returns: The hash.
  func configurationHash(with credentials: AuthenticationSettings) -> UInt64 {
    var configuration = configuration
    // A reload does not change the cookie.
    let cookie = configuration.authentication.cookie
    configuration.authentication = credentials
    configuration.authentication.cookie = cookie
    var hash = ConfigurationHash()
    for setting in Configuration.settings where Self.sharedSettings.contains(setting.name) {
      hash.combine(setting.name)
      hash.combine(setting.text(configuration))
    }
    for path in configuration.authentication.files {
      hash.combine((try? SmallFile.read(path, limit: CredentialFiles.sizeLimit)) ?? [])
    }
    return hash.value
  }
}

/// The hash of Fowler, Noll and Vo (FNV-1a), equal on all machines.
private struct ConfigurationHash {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func combine(_ text: String) { combine(Array(text.utf8)) }

  mutating func combine(_ bytes: [UInt8]) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    // Separates the values.
    value = (value ^ 0xFF) &* 0x100_0000_01B3
  }
}

/// The readiness of the daemon, without that of its store: it may be joining a cluster or about to
/// stop.
final class DaemonReadiness: Sendable {
  private let stopping = Atomic<Bool>(false)
  private let node: ClusterNode?

  init(_ node: ClusterNode?) {
    self.node = node
  }

  /// Marks the service as about to stop.
  func stop() { stopping.store(true, ordering: .releasing) }

  /// The reason why load balancers should select another node, or the differences between this node
  /// and the others.
  var current: ServiceReadiness {
    if stopping.load(ordering: .acquiring) {
      return ServiceReadiness(problem: "The service is about to stop.")
    }
    guard let node else { return ServiceReadiness() }
    guard node.readiness != .joining else {
      return ServiceReadiness(problem: "The node \(node.node.name) is joining the cluster.")
    }
    guard node.isConfirmed else {
      return ServiceReadiness(
        problem:
          "The store does not confirm the node \(node.node.name), which serves nothing meanwhile.")
    }
    let differences = node.differences.map { node, differences in
      "\(node.name) differs in \(differences.joined(separator: ", "))"
    }
    return ServiceReadiness(detail: differences.isEmpty ? nil : differences.joined(separator: "; "))
  }
}

extension ServiceNode {
  /// Creates a node of `/v1/nodes` from its status.
  init(_ status: NodeStatus) {
    self.init(
      name: status.node.name, state: "\(status.state)", version: status.description?.release,
      sessions: status.description?.sessions, isThis: status.isThis,
      differences: status.differences)
  }
}

/// The name of the machine.
enum HostName {
  static var current: String {
    var name = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return "node" }
    let text = String(
      decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return text.isEmpty ? "node" : text
  }
}
