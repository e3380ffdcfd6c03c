package import ReactorLog

/// The first frame of a process that has connected to another one.
package struct LinkGreeting: Equatable, Sendable {
  /// The versions of the links that this release supports.
  package static let versions: ClosedRange<UInt8> = 1...1

  /// The maximum size of a greeting.
  package static let bound = 1_024

  /// The versions that the sender supports.
  package var versions = Self.versions
  /// `cluster.name` of the sender.
  package var cluster: String
  /// The sender.
  package var sender: NodeID
  /// The address at which other processes reach the sender.
  package var address: String
  /// The process that the sender expects.
  package var receiver: NodeID

  package init(cluster: String, from sender: NodeID, at address: String, to receiver: NodeID) {
    (self.cluster, self.sender, self.address) = (cluster, sender, address)
    self.receiver = receiver
  }

  /// The greeting as the content of a frame.
  package var bytes: [UInt8] {
    var bytes = [versions.lowerBound, versions.upperBound]
    for text in [cluster, sender.name, address, receiver.name] {
      let utf8 = Array(text.utf8.prefix(255))
      bytes.append(UInt8(clamping: utf8.count))
      bytes += utf8
    }
    bytes.appendBigEndian(sender.incarnation, size: 8)
    bytes.appendBigEndian(receiver.incarnation, size: 8)
    return bytes
  }

  /// Reads a greeting; returns `nil` for other bytes.
  ///
  /// Bytes after the known fields are those of a later release.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= 2, bytes[0] <= bytes[1] else { return nil }
    versions = bytes[0]...bytes[1]
    var position = 2
    var texts: [String] = []
    for _ in 0..<4 {
      guard position < bytes.count else { return nil }
      let end = position + 1 + Int(bytes[position])
      guard end <= bytes.count else { return nil }
      texts.append(String(decoding: bytes[(position + 1)..<end], as: UTF8.self))
      position = end
    }
    guard bytes.count - position >= 16 else { return nil }
    (cluster, address) = (texts[0], texts[2])
    sender = NodeID(name: texts[1], incarnation: bytes.bigEndian(at: position, size: 8))
    receiver = NodeID(name: texts[3], incarnation: bytes.bigEndian(at: position + 8, size: 8))
  }

  /// Checks the greeting at a process.
  ///
  /// - Parameters:
  ///   - cluster: `cluster.name` of the process.
  ///   - node: The process, or `nil` while it has not joined the cluster.
  /// - Returns: The version of the link.
  /// - Throws: The reason why the process rejects the greeting.
  package func version(in cluster: String, at node: NodeID?) throws(LinkRejection) -> UInt8 {
    guard self.cluster == cluster else { throw .otherCluster }
    let common = min(versions.upperBound, Self.versions.upperBound)
    guard max(versions.lowerBound, Self.versions.lowerBound) <= common else { throw .otherVersion }
    guard receiver == node else { throw .otherNode }
    return common
  }
}

/// The reason why a greeting is rejected.
package enum LinkRejection: UInt8, Error, Sendable {
  case otherCluster = 1
  case otherVersion = 2
  /// The process is another one than the expected one, or has not joined or has left the cluster.
  case otherNode = 3

  /// The reason in words, with its remedy.
  package var reason: String {
    switch self {
    case .otherCluster: "it has another cluster.name"
    case .otherVersion: "its release has other versions of the links between nodes"
    case .otherNode: "another process has its address"
    }
  }
}
