internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import MicrohttpdServer
public import ReactorHost
internal import ReactorHTTP

extension ServiceContext {
  /// Hosts reactors until the termination is requested and everything has ended.
  ///
  /// ```swift
  /// CommandLineInterface.main { context in
  ///   try await context.serve([
  ///     ReactorRegistration("counter", summary: "A number") { CounterReactor() }
  ///   ])
  /// }
  /// ```
  ///
  /// Prints the address to standard output once connections are accepted.
  ///
  /// - Parameters:
  ///   - reactors: What is hosted, in the order in which it is listed.
  ///   - globals: The values that their sessions share.
  /// - Throws: A `ConfigurationError` where the store cannot be used, or the address not
  ///   be listened on.
  public func serve(
    _ reactors: [ReactorRegistration], globals: [any SharedGlobal] = []
  ) async throws {
    if let task { return try await perform(task, reactors) }
    let logCounts = LogCounts()
    let logger = logCounts.counting(logger)
    let notices = ServiceNotices(ProcessInfo.processInfo.environment)
    guard let store = try await openStoreWhenFree(notices) else { return }
    let host = Host(
      reactors, globals: globals, log: store.log, settings: hostSettings, logger: logger)
    let serverMetrics = ServerMetrics()
    var apiSettings = try apiSettings()
    apiSettings.metrics = [serverMetrics, logCounts, ProcessMetrics()]
    let api = ReactorAPI(host: host, settings: apiSettings, logger: logger)
    let server = MicrohttpdServer(settings: serverSettings, responder: api)
    serverMetrics.observe(server)
    do throws(ServerError) {
      try server.start()
    } catch {
      throw ConfigurationError.configuration("listen: \(error.message)")
    }
    for endpoint in server.endpoints { announce(endpoint) }
    notices.tell(.ready)

    let sweeping = Task { try await host.sweepIdleSessions() }
    let resuming = Task { try await keepActionsGoing(on: host) }
    await termination.requested()
    sweeping.cancel()
    resuming.cancel()
    notices.tell(.stopping)
    logger.info("draining", ["grace": configuration.shutdown.grace.description])
    await drain(api, server, store)
    logger.info("stopped")
  }

  /// Has accepted actions go on that were cut off: at the start, and where the store failed, as soon
  /// as it works again.
  private func keepActionsGoing(on host: Host) async throws {
    while true {
      // It reads the store, and must not block a thread of the cooperative pool meanwhile.
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          host.resumeInterruptedActions()
          continuation.resume()
        }
      }
      try await Task.sleep(for: .seconds(2))
    }
  }

  /// Lets everything end that has begun, within the grace.
  private func drain(_ api: ReactorAPI, _ server: MicrohttpdServer, _ store: OpenStore) async {
    let deadline = ContinuousClock.now + configuration.shutdown.grace
    api.drain()
    server.beginToStop()
    // The endings block their thread, which must not be one of the cooperative pool.
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        server.finishStreams(within: deadline - ContinuousClock.now)
        server.stop(within: deadline - ContinuousClock.now)
        if !store.close(deadline - ContinuousClock.now) {
          logger.error("store is not done writing", ["store": "\(configuration.store)"])
        }
        continuation.resume()
      }
    }
  }

  private func announce(_ endpoint: MicrohttpdServer.Endpoint) {
    let address: String
    switch endpoint {
    case .network(let host, let port):
      address = ListenAddress(host: host, port: UInt16(clamping: port)).url
    case .unix(let path, _): address = ListenAddress.unix(path: path).url
    case .inherited: return
    }
    let line = "reactord listening on \(address)\n"
    // Written at once and whole: whoever started the process waits for it.
    _ = line.utf8.withContiguousStorageIfAvailable { bytes in
      write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
    }
    logger.info("listening", ["address": address])
  }

  /// Where to listen: what the service manager hands over, else what is configured.
  private var endpoints: [MicrohttpdServer.Endpoint] {
    let inherited = InheritedSockets.descriptors(
      ProcessInfo.processInfo.environment, process: getpid())
    guard inherited.isEmpty else { return inherited.map { .inherited(descriptor: $0) } }
    switch configuration.listen {
    case .network(let host, let port): return [.network(host: host, port: Int(port))]
    case .unix(let path): return [.unix(path: path, mode: configuration.http.permissions.mode)]
    }
  }

  private var hostSettings: HostSettings {
    var settings = HostSettings()
    settings.sessionCreation = configuration.sessions.create
    settings.sessionIdle = configuration.sessions.idle
    settings.sessionLimit = configuration.sessions.limit
    settings.mailboxBound = configuration.actions.queue
    settings.idempotency = configuration.actions.idempotency
    return settings
  }

  private var serverSettings: MicrohttpdServer.Settings {
    let cores = Cores.available
    return MicrohttpdServer.Settings(
      endpoints: endpoints, workers: workers(on: cores), loops: cores > 1 ? 1 : 0,
      limits: .init(
        body: configuration.limits.body, headers: configuration.limits.headers,
        connections: configuration.limits.connections,
        connectionsPerAddress: configuration.limits.address,
        isExempt: { [proxies = configuration.http.proxies] in proxies.contains($0) }),
      timeouts: .init(
        head: configuration.limits.head, body: configuration.limits.transfer,
        idle: configuration.limits.idle),
      heartbeat: configuration.streams.heartbeat)
  }

  /// One worker thread for every two cores: the streams' loop, effects and commits need the others.
  private func workers(on cores: Int) -> Int {
    guard configuration.http.workers == 0 else { return configuration.http.workers }
    return max(1, cores / 2)
  }
}
