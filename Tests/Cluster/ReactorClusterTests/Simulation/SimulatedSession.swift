import ReactorCluster
import ReactorLog

/// A session in the memory of a simulated host: a fold of its messages, and the requests of a turn.
final class SimulatedSession {
  /// A request that waits for its commit.
  struct Item {
    let payload: UInt64
    /// `nil` for a request of a client of the owner, which is executed without the cluster.
    let number: RequestNumber?
    let completion: (ExecutionResult) -> Void
  }

  let key: SessionKey
  private unowned let node: SimulatedNode
  private var writer: SimulatedWriter?
  private var version = 0
  private var finished: [RequestNumber: Int] = [:]
  private var queue: [Item] = []
  private var reads: [(Int?) -> Void] = []
  private var inFlight: [Item] = []
  private(set) var isClosed = false
  /// Called when a forced release may reply: no batch is in flight.
  private var released: (() -> Void)?

  init(_ key: SessionKey, node: SimulatedNode) {
    self.key = key
    self.node = node
    node.read(key) { [weak self] messages in self?.load(messages) }
  }

  var isLoaded: Bool { writer != nil }

  private func load(_ messages: [SimulatedLog.Message]) {
    guard !isClosed else { return }
    for message in messages where !message.batch.isVoid {
      for entry in message.batch.entries {
        version += 1
        if let number = entry.number { finished[number] = version }
      }
    }
    writer = SimulatedWriter(key, end: messages.last?.sequence ?? 0, node: node)
    let waiting = reads
    reads = []
    for read in waiting { read(version) }
    flush()
  }

  func execute(_ item: Item) {
    guard !isClosed else { return item.completion(.displaced(by: nil)) }
    queue.append(item)
    flush()
  }

  /// Reads the committed version when the session is loaded, or returns `nil` if it is closed before.
  func read(_ completion: @escaping (Int?) -> Void) {
    isLoaded ? completion(version) : reads.append(completion)
  }

  private func flush() {
    guard let writer, inFlight.isEmpty, !isClosed else { return }
    let waiting = queue
    queue = []
    for item in waiting {
      if let number = item.number, let known = finished[number] {
        node.simulation.count("repetition")
        item.completion(.response(SimulatedNode.encode(UInt64(known))))
      } else {
        inFlight.append(item)
      }
    }
    guard !inFlight.isEmpty else { return }
    let commitsNumbers = node.simulation.settings.commitsNumbers
    let entries = inFlight.map {
      SimulatedLog.Entry(payload: $0.payload, number: commitsNumbers ? $0.number : nil)
    }
    writer.append(entries) { [self] result in didAppend(result) }
  }

  private func didAppend(_ result: SimulatedWriter.Result) {
    let batch = inFlight
    inFlight = []
    node.simulation.count("append \(result.name)")
    switch result {
    case .committed: didCommit(batch)
    case .voided: for item in batch { item.completion(.unavailable) }
    case .unknown:
      for item in batch { item.completion(.unknown) }
      close(displacedBy: nil)
    case .lost(let winner):
      for item in batch { item.completion(.displaced(by: winner)) }
      close(displacedBy: winner)
    }
    if isClosed {
      released?()
      released = nil
    }
    flush()
  }

  private func didCommit(_ batch: [Item]) {
    let base = version
    for item in batch {
      version += 1
      if let number = item.number { finished[number] = version }
      item.completion(.response(SimulatedNode.encode(UInt64(version))))
    }
    if !isClosed { node.publish(key, after: base, to: version) }
  }

  /// Removes the session from memory; requests that are not in flight get another owner.
  func close(displacedBy winner: NodeID?) {
    guard !isClosed else { return }
    isClosed = true
    node.didClose(self)
    let waiting = queue
    queue = []
    for item in waiting { item.completion(.displaced(by: winner)) }
    let readers = reads
    reads = []
    for read in readers { read(nil) }
  }

  /// Releases the session; `completion` receives whether it was released.
  func release(to owner: NodeID?, forced: Bool, completion: @escaping (Bool) -> Void) {
    let isIdle =
      isLoaded && queue.isEmpty && inFlight.isEmpty && !node.subscribed.has(key)
    guard isIdle || forced else { return completion(false) }
    close(displacedBy: owner)
    if inFlight.isEmpty { completion(true) } else { released = { completion(true) } }
  }
}
