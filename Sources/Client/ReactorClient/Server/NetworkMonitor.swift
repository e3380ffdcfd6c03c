#if canImport(Network)
  internal import Dispatch
  internal import Network
  internal import Synchronization

  /// Reports that the network has returned.
  final class NetworkMonitor:
    // Proof: the only property is constant, and the monitor can be cancelled on any thread.
    @unchecked Sendable
  {
    private let monitor = NWPathMonitor()

    /// Begins to observe the network; `returned` is called on a background thread.
    init(_ returned: @escaping @Sendable () -> Void) {
      let wasAvailable = Mutex(true)
      monitor.pathUpdateHandler = { path in
        let isAvailable = path.status == .satisfied
        let was = wasAvailable.withLock { wasAvailable in
          defer { wasAvailable = isAvailable }
          return wasAvailable
        }
        if isAvailable, !was { returned() }
      }
      monitor.start(queue: DispatchQueue(label: "reactor-network"))
    }

    deinit {
      monitor.cancel()
    }
  }
#endif
