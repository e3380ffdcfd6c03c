import Brokers
import Synchronization

/// A store of its own on a broker.
struct NATSStore {
  private static let count = Atomic(0)
  /// A broker that does not disconnect a service which is not scheduled for a while.
  private static let sharedBroker = Result { try Broker("ping_max: 60") }
  private static let sharedCluster = Result { try BrokerCluster() }

  /// Names a store with three replicas on a cluster that the tests share.
  static func onThreeBrokers() throws -> NATSStore {
    try NATSStore(sharedCluster.get().url, replicas: 3)
  }

  private let url: String
  private let name: String
  private let replicas: Int

  /// The settings that name the store, for the command line.
  var flags: [String] { flags(at: url) }

  /// Names a store that does not exist yet.
  ///
  /// The broker is the one that the tests share, unless a URL is specified.
  init(_ url: String? = nil, replicas: Int = 1) throws {
    self.url = try url ?? Self.sharedBroker.get().url
    self.replicas = replicas
    name = "test-\(Self.count.add(1, ordering: .relaxed).newValue)"
  }

  /// The command line settings of a node that reaches the brokers at a given URL.
  func flags(at url: String) -> [String] {
    [
      "--store", url, "--cluster-name", name, "--cluster-replicas", "\(replicas)",
      "--cluster-streams", "2", "--start-wait", "300",
    ]
  }
}
