internal import Glibc
internal import ReactorLinks

/// The settings of the connections between the nodes of a store in PostgreSQL.
struct LinkSettings {
  let listen: LinkAddress
  /// The address for the other nodes, or `nil` for that of the listening socket.
  let advertised: LinkAddress?
  let secret: [UInt8]
}

extension Configuration {
  /// Checks that the settings of nodes belong to the store.
  func checkLinks() throws(ConfigurationError) {
    guard clusterListen.address != nil else {
      guard clusterSecret.isEmpty, clusterAddress.address == nil else {
        throw .configuration(
          "cluster.secret, cluster.address: a node needs cluster.listen as well, its address for the other nodes, "
            + "such as 10.0.0.5:7946; remove them for one process alone")
      }
      return
    }
    guard case .postgres = store else {
      throw .configuration("cluster.listen: nodes share a store postgres://, found \(store)")
    }
  }

  /// Reads the settings of a node, or returns `nil` for one process alone.
  func linkSettings() throws(ConfigurationError) -> LinkSettings? {
    guard let listen = clusterListen.address else { return nil }
    guard !clusterSecret.isEmpty else {
      throw .configuration(
        "cluster.secret: a node with cluster.listen needs the secret of the cluster: write the output of "
          + "'openssl rand -hex 32' into a file, and name a copy of it at each node")
    }
    guard !(clusterAddress.address ?? listen).isWildcard else {
      throw .configuration(
        "cluster.address: other nodes cannot connect to \((clusterAddress.address ?? listen)); name the address at "
          + "which they reach this machine")
    }
    var secret: [UInt8]
    do throws(FileProblem) {
      secret = try SmallFile.read(clusterSecret, limit: CredentialFiles.sizeLimit)
    } catch {
      throw .configuration("cluster.secret: \(clusterSecret): \(error.reason)")
    }
    // Editors and `echo` add the end of a line.
    while let last = secret.last, last == 0x0A || last == 0x0D { secret.removeLast() }
    guard secret.count >= 32 else {
      throw .configuration(
        "cluster.secret: \(clusterSecret) has \(secret.count) bytes; expected at least 32, such as the output of "
          + "'openssl rand -hex 32'")
    }
    return LinkSettings(listen: listen, advertised: clusterAddress.address, secret: secret)
  }
}

#if PostgreSQL
  internal import PostgresLog
  internal import ReactorCluster
  internal import ReactorLog

  extension ServiceContext {
    /// Creates the node that shares the sessions of a store in PostgreSQL with other nodes.
    func join(
      _ log: PostgresLog, _ quarantine: StoredQuarantine, _ settings: PostgresLog.Settings,
      _ links: LinkSettings
    ) throws(ConfigurationError) -> OpenStore {
      let nodes = NodeTable(settings, logger: logger)
      let bus: LinkBus
      do throws(LinkError) {
        bus = try LinkBus(
          cluster: settings.schema, listeningAt: links.listen, advertised: links.advertised,
          secret: links.secret, directory: StoredNodes(nodes), logger: logger)
      } catch {
        let inUse = unsafe String(cString: strerror(EADDRINUSE))
        throw ConfigurationError(
          message: "\(error)", exitCode: EX_CONFIG,
          isTemporary: error.description.hasSuffix(inUse))
      }
      do throws(PostgresLogError) {
        try nodes.start()
      } catch {
        throw ConfigurationError(error)
      }
      let node = ClusterNode(
        named: settings.node, bus: bus, settings: clusterSettings,
        release: ServiceVersion.current, running: { nodes.running }, logger: logger)
      return OpenStore(
        log: log,
        close: {
          nodes.close()
          quarantine.close()
          return log.close(within: $0)
        },
        sharedMarks: { SharedMarks($0, quarantine) }, drain: { nodes.drain() }, node: node)
    }
  }

  /// The nodes in the table are those that links connect to.
  private final class StoredNodes: NodeDirectory {
    private let table: NodeTable

    init(_ table: NodeTable) { self.table = table }

    var others: [PresentNode] { table.entries.map { PresentNode($0.node, at: $0.address) } }
    var isConfirmed: Bool { table.isConfirmed }
    func address(of node: NodeID) -> String? { table.address(of: node) }
    func announce(_ node: NodeID, at address: String) { table.announce(node, at: address) }
    func withdraw() { table.withdraw() }
    func refresh() { table.refresh() }
  }
#endif
