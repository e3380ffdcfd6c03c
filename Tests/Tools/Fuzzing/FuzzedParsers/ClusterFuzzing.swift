internal import ReactorCluster

/// Parses arbitrary bytes as each kind of message between nodes.
enum ClusterFuzzing {
  static func run(_ bytes: [UInt8]) {
    for message in MessageFormat.read(bytes) {
      let again = MessageFormat.read(message)
      require(again.contains { $0 == message }, "a message that is written is read again")
    }
  }
}
