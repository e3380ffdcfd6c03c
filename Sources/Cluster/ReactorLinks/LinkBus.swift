internal import Crypto
internal import Glibc
package import ReactorCluster
package import ReactorLog
internal import SystemThreads
package import Telemetry

/// The bus of a cluster over connections between the nodes.
///
/// A node listens on an address that only other nodes reach. Connections are encrypted with TLS 1.3, and both
/// sides prove that they have the same secret; see ``LinkMachine`` for their life. All lanes of a peer
/// share one connection, so that all messages arrive in order.
///
/// A killed process resets its connections: requests that were sent to it end with ``BusError/timedOut``, those
/// that were not with ``BusError/noSuchNode``, and the handler is notified.
package final class LinkBus: ClusterBus {
  /// The minimum size of a secret, in bytes.
  package static let minimumSecret = 16

  /// The maximum size of a request, a reply or a message, in bytes; larger ones are not sent.
  package static let messageBound = LinkFrame.bound

  /// The time for which ``leave()`` waits for the connections to accept what was sent.
  private static let flushTime = Duration.seconds(1)

  private let shared: SharedLinks

  /// Listens, and starts the threads of the bus.
  ///
  /// - Parameters:
  ///   - cluster: `cluster.name`; nodes of another cluster are rejected.
  ///   - address: The address to listen on: a literal or a name of this machine. Port 0 selects a free one.
  ///   - advertised: The address at which other nodes reach this one, or `nil` for the one to listen on. Its port
  ///     0 stands for the port of the listening socket.
  ///   - secret: The secret of the cluster, at least ``minimumSecret`` bytes.
  ///   - directory: The other nodes and their addresses.
  ///   - logger: The log of the service.
  /// - Throws: If the address cannot be used, or the secret is too short.
  package init(
    cluster: String, listeningAt address: LinkAddress, advertised: LinkAddress? = nil,
    secret: [UInt8], directory: any NodeDirectory, logger: Logger = .silent
  ) throws(LinkError) {
    guard secret.count >= Self.minimumSecret else {
      throw LinkError(
        "cluster.secret: expected at least \(Self.minimumSecret) bytes, such as the output of "
          + "`openssl rand -hex 32`")
    }
    var listening: LinkSocket?
    var reason = "the host has no address"
    for candidate in address.resolve(isLiteral: false) {
      listening = LinkSocket.listening(at: candidate)
      if listening != nil { break }
      reason = unsafe String(cString: strerror(errno))
    }
    guard let socket = listening else {
      throw LinkError("cluster.listen: this node cannot listen on \(address): \(reason)")
    }
    let stated = advertised ?? address
    let own = LinkAddress(host: stated.host, port: stated.port == 0 ? socket.port : stated.port)
    guard let key = try? SharedKey(secret, for: "reactord links") else {
      throw LinkError("cluster.secret: libssl has no TLS 1.3, which nodes need: install OpenSSL 3")
    }
    guard let shared = SharedLinks(cluster, own, key, directory, logger),
      LinkLoop.start(shared, socket)
    else { throw LinkError("cluster.listen: this process has no threads or descriptors left") }
    self.shared = shared
  }

  deinit { shared.close() }

  /// The address at which other nodes reach this one.
  package var address: LinkAddress { shared.address }

  /// Whether the store has confirmed recently that this node is present.
  package var hasQuorum: Bool { shared.directory.isConfirmed }

  /// Receives requests and messages for a node from now on, and announces it in the directory.
  package func join(as node: NodeID, _ handler: any BusHandler) {
    let ended = shared.change { state in
      state.handler = handler
      return state.machine.join(as: node)
    }
    shared.complete(ended)
    shared.directory.announce(node, at: "\(shared.address)")
  }

  /// Writes what was sent, for at most a second, and rejects other nodes from then on.
  package func leave() {
    let isFlushed = Semaphore()
    shared.change { $0.flushes.append(isFlushed) }
    isFlushed.wait(for: Self.flushTime)
    let ended = shared.change { state in
      state.handler = nil
      return state.machine.join(as: nil)
    }
    shared.complete(ended)
    shared.directory.withdraw()
  }

  /// Sends a request to a node.
  package func request(
    _ bytes: [UInt8], to node: NodeID, within timeout: Duration,
    completion: @escaping @Sendable (Result<[UInt8], BusError>) -> Void
  ) {
    let deadline = Clock.milliseconds + timeout.milliseconds
    shared.change { $0.machine.request(bytes, to: node, deadline: deadline, completion) }
  }

  /// Sends a message to a node, at most once; all lanes are in order.
  package func send(_ bytes: [UInt8], to node: NodeID, lane: Int) {
    shared.change { $0.machine.send(bytes, to: node) }
  }

  /// Sends a message to all other nodes, at most once.
  package func broadcast(_ bytes: [UInt8]) {
    let others = shared.directory.others.map(\.node)
    shared.change { $0.machine.broadcast(bytes, to: others) }
  }
}

/// The reason why a bus cannot be created, with its remedy: one line.
package struct LinkError: Error, CustomStringConvertible, Sendable {
  /// The reason.
  package let description: String

  init(_ description: String) { self.description = description }
}
