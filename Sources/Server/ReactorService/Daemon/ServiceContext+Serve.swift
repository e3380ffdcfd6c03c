internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import Identity
internal import MicrohttpdServer
internal import ReactorCluster
public import ReactorHost
internal import ReactorHTTP
internal import ReactorTransport
internal import Shares
internal import Synchronization
internal import SystemThreads
internal import TerminalClient

extension ServiceContext {
  /// Hosts reactors until the termination is requested and the service has drained.
  ///
  /// ```swift
  /// CommandLineInterface.main { context in
  ///   try await context.serve([
  ///     ReactorRegistration("counter", summary: "A number") { CounterReactor() }
  ///   ])
  /// }
  /// ```
  ///
  /// `work` has the host while the service accepts connections, for work that follows the commits of all
  /// sessions:
  ///
  /// ```swift
  /// try await context.serve(reactors) { host in
  ///   for try await change in try host.changes(after: .latest) { … }
  /// }
  /// ```
  ///
  /// Prints the address to standard output once the server accepts connections.
  ///
  /// - Parameters:
  ///   - reactors: The reactors, in the order of the catalogue.
  ///   - globals: The values that sessions share.
  ///   - work: Executed once the service accepts connections, and cancelled before it drains. An error that it throws is
  ///     logged; the service continues.
  /// - Throws: A `ConfigurationError` if a name is invalid or used twice, the declaration of a flow
  ///   is wrong, the store cannot be opened or the address cannot be bound.
  public func serve(
    _ reactors: [ReactorRegistration], globals: [any SharedGlobal] = [],
    alongside work: (@Sendable (Host) async throws -> Void)? = nil
  ) async throws {
    try RegistrationCheck.check(
      reactors: reactors.map(\.name), globals: globals.map(\.name))
    try RegistrationCheck.check(declarations: reactors)
    guard configuration.memory == 0 || configuration.memory >= 33_554_432 else {
      throw ConfigurationError.configuration(
        "limits.memory: expected 0 for that of the machine, or at least 33554432 bytes")
    }
    if let task { return try await execute(task, reactors) }
    let logCounts = LogCounts()
    let logger = logCounts.counting(logger)
    guard let store = try await openStoreWhenFree() else { return }
    let deadline = exitAfterGrace(store)
    defer { deadline.isMet.store(true, ordering: .relaxed) }
    var hostSettings = configuration.host
    // Requests and commits have priority.
    hostSettings.startBackgroundThread = { body in
      let thread = SystemThread(named: "background", niceness: 5, body)
      if thread == nil { DispatchQueue.global().async(execute: body) }
    }
    hostSettings.sendWait = configuration.api.actionWait
    hostSettings.snapshotInterval = configuration.retention.snapshotInterval(
      atMost: hostSettings.snapshotInterval)
    if configuration.isPaused { hostSettings.pause() }
    let marks = containCrashes(&hostSettings, store.sharedMarks)
    let revocations = Global<[Revocation]>(Revocation.storedName, [])
    let host = Host(
      reactors, globals: globals, hidden: [revocations], log: store.log, settings: hostSettings,
      logger: logger, router: store.node)
    RegistrationCheck.logUndescribedTypes(of: reactors, logger)
    RegistrationCheck.logUnknownReactors(
      in: configuration.retention, among: reactors.map(\.name), logger)
    let readiness = DaemonReadiness(store.node)
    if let missing = host.firstMissingReference() {
      throw ConfigurationError.configuration(missing)
    }
    let types = TypeCheckTask(host, logger)
    let serverMetrics = ServerMetrics(host: hostSettings)
    let providers = Providers(logger, hostSettings.ledger)
    let credentials = CredentialFiles(
      settings: configuration.authentication, reactors: reactors.map(\.name), logger: logger,
      providers: providers)
    let signature = credentials.signature
    var apiSettings = try apiSettings(credentials)
    apiSettings.revocations = revocations
    apiSettings.metrics = [
      serverMetrics, logCounts, ProcessMetrics(), InfoMetrics(store: configuration.store.kind),
    ]
    if let marks { apiSettings.metrics.append(marks) }
    apiSettings.isPaused = configuration.isPaused
    apiSettings.readiness = {
      types.adding(to: readiness.current).adding(notice: providers.notice)
    }
    if let node = store.node {
      apiSettings.metrics.append(node)
      apiSettings.nodes = {
        let (alive, gone) = await node.nodes()
        return (
          alive.map { ServiceNode($0) },
          gone.map { GoneNode(name: $0.name, since: $0.since.description) }
        )
      }
    }
    if let logWriter { apiSettings.metrics.append(logWriter) }
    let api = ReactorAPI(host: host, settings: apiSettings, logger: logger)
    let credentialReload = CredentialReload(
      credentials, signature: signature, apiSettings.authentication, logger: logger
    ) { configuration, settings in
      if let configuration {
        api.replaceAuthentication(configuration)
      } else {
        api.recheckStreams()
      }
      store.node?.setConfiguration(configurationHash(with: settings))
    }
    store.node?.setConfiguration(configurationHash(with: credentials.settings))
    providers.onChange { credentialReload.applyProviderKeys() }
    reload?.onReload { configuration throws(ConfigurationError) in
      try credentialReload.apply(configuration.authentication)
    }
    let settings = serverSettings
    let opened = try whenAddressesAreFree { () throws(ServerError) in
      let server = MicrohttpdServer(settings: settings, responder: api)
      try server.start()
      return server
    }
    guard let server = opened else {
      _ = store.close(.seconds(1))
      return
    }
    serverMetrics.observe(server)
    logger.info(
      "capacity",
      [
        "connections": "\(server.limits.connections)", "streams": "\(server.limits.streams)",
        "reserved": "\(server.limits.reserved)",
      ])
    FreedMemory.startReturning()
    if let node = store.node {
      node.start(host)
      await node.joined()
      logger.info(
        "joined the cluster", ["node": "\(node.node)", "ready": "\(node.readyNodes.count)"])
    }
    let watch = watchThreads(of: server, store)
    if let supervisor {
      supervisor.reportAlive()
    } else {
      for endpoint in server.endpoints { Announcement.write(endpoint, logger) }
    }
    notifier.notify(.ready)
    warnIfOpenToAll(server.endpoints)

    let sweeping = Task { try await host.sweepIdleSessions() }
    let isPaused = configuration.isPaused
    if isPaused { logger.warning("the service is paused and serves reads only") }
    let resuming = Task { try await upkeep(of: host, api, resumes: !isPaused) }
    let watching = Task { try await credentialReload.watch() }
    let following = Task { try await providers.watch() }
    let firing = Task { if !isPaused { await host.fireTimers() } }
    let working = Task {
      do {
        try await work?(host)
      } catch {
        guard !Task.isCancelled else { return }
        logger.error("the work alongside the service has failed", ["error": "\(error)"])
      }
    }
    types.start()
    await termination.requested()
    working.cancel()
    watching.cancel()
    following.cancel()
    sweeping.cancel()
    resuming.cancel()
    firing.cancel()
    types.stop()
    watch?.end()
    notifier.notify(.stopping)
    logger.info("draining", ["grace": configuration.shutdownGrace.description])
    readiness.stop()
    store.node?.drain()
    store.drain?()
    await drain(host, api, server, store)
    logger.info("stopped")
  }

  /// Records samples of the metrics, and resumes accepted actions that were interrupted by the end of the last
  /// process or by a failure of the store.
  private func upkeep(of host: Host, _ api: ReactorAPI, resumes: Bool) async throws {
    while true {
      // The metrics may be read from disk.
      await host.background.run(for: .none) { api.takeSample() }
      if resumes { await host.resumeInterruptedActions() }
      try await Task.sleep(for: .seconds(2))
    }
  }

  /// The deadline of draining.
  private final class DrainDeadline: Sendable {
    /// Whether the service has ended before the deadline.
    let isMet = Atomic<Bool>(false)
  }

  /// Ends the process if draining takes longer than `shutdown.grace`.
  ///
  /// A running turn cannot be cancelled and may block the threads that drain. The deadline is met
  /// once ``serve(_:globals:)`` returns: a process that embeds the service continues after that.
  private func exitAfterGrace(_ store: OpenStore) -> DrainDeadline {
    let deadline = DrainDeadline()
    let milliseconds = configuration.shutdownGrace.milliseconds
    termination.whenRequested { [logger, logWriter] in
      _ = SystemThread(named: "shutdown") {
        poll(nil, 0, Int32(clamping: milliseconds + 100))
        guard !deadline.isMet.load(ordering: .relaxed) else { return }
        logger.error("shutdown.grace has expired; the process ends with running actions")
        _ = store.close(.milliseconds(200))
        logWriter?.close(within: .milliseconds(100))
        _exit(EXIT_FAILURE)
      }
    }
    return deadline
  }

  /// Completes requests, streams and writes within `shutdown.grace`.
  private func drain(
    _ host: Host, _ api: ReactorAPI, _ server: MicrohttpdServer, _ store: OpenStore
  ) async {
    let deadline = ContinuousClock.now + configuration.shutdownGrace
    // During `shutdown.delay` requests are still served, by other nodes if these own the session.
    try? await Task.sleep(for: min(configuration.shutdownDelay, configuration.shutdownGrace))
    api.drain()
    server.beginToStop()
    let waits = Task {
      try await Task.sleep(
        until: deadline - min(.milliseconds(500), configuration.shutdownGrace / 5))
      api.endWaits()
    }
    defer { waits.cancel() }
    // These calls block; they must not run on a thread of the cooperative pool.
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        server.finishStreams(within: deadline - ContinuousClock.now)
        server.stop(within: deadline - ContinuousClock.now)
        // A turn that blocks a background thread is a running action, with which the deadline ends the process.
        while !host.background.isIdle { poll(nil, 0, 5) }
        store.node?.leave(within: deadline - ContinuousClock.now)
        if !store.close(max(deadline - ContinuousClock.now, .milliseconds(100))) {
          logger.error("the store has not written everything", ["store": "\(configuration.store)"])
        }
        continuation.resume()
      }
    }
  }

  /// The sockets passed by the supervisor or the service manager, else the configured address.
  var endpoints: [MicrohttpdServer.Endpoint] {
    if let supervisor { return supervisor.endpoints }
    let inherited = InheritedSockets.descriptors(
      ProcessInfo.processInfo.environment, process: getpid())
    guard inherited.isEmpty else { return inherited.map { .inherited(descriptor: $0) } }
    switch configuration.listen {
    case .network(let host, let port): return [.network(host: host, port: Int(port))]
    case .unix(let path): return [.unix(path: path, mode: 0o660)]
    }
  }

  private var serverSettings: MicrohttpdServer.Settings {
    let cores = Cores.available
    var settings = configuration.server
    settings.endpoints = endpoints
    settings.workers = workers(on: cores)
    settings.loops = cores > 1 ? 1 : 0
    settings.ledger = configuration.host.ledger
    settings.limits.buffered = max(
      settings.limits.body, min(settings.limits.buffered, settings.ledger.memory))
    settings.limits.isExempt = { [proxies = configuration.api.trustedProxies] in
      // A Unix-domain socket is usually that of a proxy as well.
      $0 == nil || proxies.contains($0)
    }
    return settings
  }

  /// Returns `http.workers`, or one thread for every two cores: the stream loop, effects and
  /// commits use the others.
  private func workers(on cores: Int) -> Int {
    guard configuration.workers == 0 else { return configuration.workers }
    return max(1, cores / 2)
  }
}
