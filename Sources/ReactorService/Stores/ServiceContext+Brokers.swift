#if NATS
  internal import Glibc
  internal import MicrohttpdServer
  internal import NATSBus
  internal import NATSClient
  internal import NATSLog
  internal import ReactorCluster
  internal import ReactorHost
  internal import ReactorLog

  extension ServiceContext {
    func openBrokers(_ addresses: String) async throws(ConfigurationError) -> OpenStore {
      var settings = try configuration.brokerSettings(addresses)
      settings.node = nodeName
      let log: NATSLog
      do throws(NATSLogError) {
        log = try await NATSLog.open(settings, logger: logger)
      } catch {
        throw ConfigurationError(error)
      }
      do throws(ConfigurationError) {
        let node = try makeNode(named: settings.node, settings, log)
        return OpenStore(
          log: log, close: { log.close(within: $0) }, metrics: log,
          sharedMarks: { SharedMarks($0, log.quarantine) }, node: node)
      } catch {
        log.close(within: .zero)
        throw error
      }
    }

    /// Creates the node that shares the sessions of a store at brokers with other nodes.
    ///
    /// The node has its own connection, so that a burst of messages does not delay the
    /// acknowledgements of the log. Blocks until it is connected.
    private func makeNode(
      named name: String, _ settings: NATSLog.Settings, _ log: NATSLog
    ) throws(ConfigurationError) -> ClusterNode {
      do throws(NATSError) {
        let options = NATSConnection.Options(
          settings.addresses, credentials: settings.credentials, name: "reactord \(name) bus")
        let bus = try NATSBus(
          try NATSConnection(options), prefix: settings.name, incarnation: .random(in: 1 ... .max)
        ) { log.hasQuorum }
        return ClusterNode(
          named: name, bus: bus, settings: clusterSettings, release: ServiceVersion.current,
          logger: logger)
      } catch {
        throw ConfigurationError(
          message: "store: the brokers at \(settings.addresses) cannot be used: \(error)",
          exitCode: 78, isTemporary: error.code == .unreachable)
      }
    }
  }

  extension Configuration {
    /// Returns the settings of a store at brokers.
    func brokerSettings(_ text: String) throws(ConfigurationError) -> NATSLog.Settings {
      guard let addresses = NATSAddresses(text) else {
        throw .configuration("store: \(store) is no address of brokers")
      }
      guard clusterSuspect >= clusterHeartbeat * 2 else {
        throw .configuration("cluster.suspect: expected at least twice cluster.heartbeat")
      }
      var settings = NATSLog.Settings(addresses, node: HostName.current)
      let path = clusterCredentials
      if !path.isEmpty {
        // Check the file: libnats reads it at each connection, and would block on a FIFO.
        do throws(FileProblem) {
          _ = try SmallFile.read(path, limit: CredentialFiles.sizeLimit)
        } catch {
          throw .configuration("cluster.credentials: \(path): \(error.reason)")
        }
      }
      settings.credentials = path.isEmpty ? nil : path
      settings.name = clusterName.text
      settings.replicas = clusterReplicas
      settings.streams = clusterStreams
      settings.wait = clusterWait
      settings.outcomeRetention = host.idempotency
      settings.retention = retention
      settings.changeRetention = changeRetention
      settings.requiredPayload =
        max(server.limits.body, host.stateLimit) + 65_536
      return settings
    }
  }

  extension ConfigurationError {
    /// Creates the error for brokers that cannot be used.
    init(_ error: NATSLogError) {
      self.init(
        message: "store: \(error)", exitCode: error.isInvalidInput ? EX_DATAERR : EX_CONFIG,
        isTemporary: error.isTemporary)
    }
  }
#endif
