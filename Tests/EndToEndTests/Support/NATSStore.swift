import Brokers
import Synchronization

/// A store of its own on a broker.
struct NATSStore {
  private static let count = Atomic(0)
  private static let sharedBroker = Result { try Broker() }
  private static let sharedCluster = Result { try BrokerCluster() }

  /// Names a store with three replicas on a cluster that the tests share.
  static func onThreeBrokers() throws -> NATSStore {
    try NATSStore(sharedCluster.get().url, replicas: 3)
  }

  /// The settings that name the store, for the command line.
  let flags: [String]

  /// Names a store that does not exist yet, on a broker that the tests share unless another is given.
  init(_ url: String? = nil, replicas: Int = 1) throws {
    let number = Self.count.add(1, ordering: .relaxed).newValue
    flags = [
      "--store", try url ?? Self.sharedBroker.get().url, "--cluster-name", "test-\(number)",
      "--cluster-replicas", "\(replicas)", "--cluster-streams", "2", "--start-wait", "30",
    ]
  }
}
