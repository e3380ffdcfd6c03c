internal import Crypto
internal import Glibc
internal import ReactorCluster
internal import ReactorLog
internal import SystemThreads
internal import Telemetry

/// The thread of a bus: the sockets, the encryption and the frames.
@safe final class LinkLoop {
  private static let listening: UInt64 = 1
  /// The maximum number of accepted connections whose peers are not authenticated; the oldest one is closed.
  private static let strangers = 64
  /// The pause after the process has run out of descriptors, in milliseconds.
  private static let acceptPause: Milliseconds = 100
  /// The minimum time between two log lines of one reason, in milliseconds.
  private static let logPause: Milliseconds = 60_000
  /// The longest sleep while a time limit applies, and without one, in milliseconds.
  private static let sleep: (timed: Int32, idle: Int32) = (20, 1_000)

  private let shared: SharedLinks
  private let listener: LinkSocket
  private let poller: Poller
  private let buffer: UnsafeMutableBufferPointer<UInt8>
  private var connections: [LinkID: LinkConnection] = [:]
  /// The links whose host names are being resolved: the number of the attempt, and when it ends.
  private var resolving: [LinkID: (attempt: UInt64, deadline: Milliseconds)] = [:]
  private var lastAttempt: UInt64 = 0
  private var acceptsAt: Milliseconds?
  private var loggedAt: [String: Milliseconds] = [:]
  private var now = Clock.milliseconds

  /// Starts the thread.
  ///
  /// - Returns: `false` if the system has no descriptors or threads left.
  static func start(_ shared: SharedLinks, _ listener: consuming LinkSocket) -> Bool {
    guard let poller = Poller(), poller.addReadable(shared.waker.descriptor, token: 0),
      poller.addReadable(listener.descriptor, token: listening)
    else { return false }
    let loop = LinkLoop(shared, listener, poller)
    // Proof: only the new thread uses the loop.
    nonisolated(unsafe) let owned = loop
    return SystemThread(named: "links") { unsafe owned.run() } != nil
  }

  private init(
    _ shared: SharedLinks, _ listener: consuming LinkSocket, _ poller: consuming Poller
  ) {
    self.shared = shared
    self.listener = listener
    self.poller = poller
    unsafe buffer = .allocate(capacity: SecureChannel.chunk)
  }

  deinit { unsafe buffer.deallocate() }

  private func run() {
    while true {
      now = Clock.milliseconds
      let now = now
      let (ended, commands, resolved, isClosed) = shared.change { state in
        let ended = state.machine.tick(at: now)
        defer { state.resolved = [] }
        return (ended, state.machine.takeCommands(), state.resolved, state.isClosed)
      }
      shared.complete(ended)
      if isClosed { return close() }
      for command in commands { execute(command) }
      for (link, attempt, addresses) in resolved where resolving[link]?.attempt == attempt {
        resolving[link] = nil
        connect(link, to: addresses)
      }
      for link in shared.change({ $0.machine.takeReady() }) { fill(link) }
      readWaiting()
      endLate()
      signalFlushes()
      wait()
    }
  }

  private func close() {
    for connection in connections.values { connection.end(at: now) }
    for thread in [shared.requests, shared.messages, shared.replies] { thread.close() }
  }

  private func wait() {
    let hasBytes = connections.values.contains { $0.isReadable }
    let isFull = shared.requests.isFull || shared.messages.isFull
    let isTimed =
      !resolving.isEmpty || acceptsAt != nil || connections.values.contains { $0.isTimed }
      || shared.change { $0.machine.isWaiting || !$0.flushes.isEmpty }
    // Bytes that wait for the node need no attention before a while.
    var timeout = isTimed || hasBytes ? Self.sleep.timed : Self.sleep.idle
    if hasBytes && !isFull || !shared.prepareToSleep() { timeout = 0 }
    var events: [Poller.Event] = []
    poller.wait(milliseconds: timeout) { events.append($0) }
    shared.cancelSleep()
    now = Clock.milliseconds
    for event in events {
      switch event.token {
      case 0: shared.waker.clear()
      case Self.listening: accept()
      default: handle(event)
      }
    }
    if let time = acceptsAt, time <= now {
      acceptsAt =
        poller.addReadable(listener.descriptor, token: Self.listening)
        ? nil : now + Self.acceptPause
    }
  }

  private func signalFlushes() {
    let isWritten = connections.values.allSatisfy { $0.unsent == 0 }
    let flushes: [SystemThreads.Semaphore] = shared.change { state in
      guard isWritten, state.machine.isDrained else { return [] }
      defer { state.flushes = [] }
      return state.flushes
    }
    for flush in flushes { flush.signal() }
  }

  // MARK: Connections

  private func execute(_ command: LinkMachine.Command) {
    switch command {
    case .dial(let link, let peer): dial(link, peer)
    case .close(let link): connections.removeValue(forKey: link)?.end(at: now)
    case .lost(let peer):
      shared.directory.refresh()
      guard let handler = shared.change({ $0.handler }) else { return }
      shared.messages.deliver(0) { handler.didLose(peer) }
    }
  }

  private func dial(_ link: LinkID, _ peer: NodeID) {
    connections.removeValue(forKey: link)?.end(at: now)
    resolving[link] = nil
    let stated =
      shared.directory.address(of: peer)
      ?? shared.change { $0.machine.statedAddress(of: peer) }
    // A process that has not joined the cluster cannot greet others.
    let hasJoined = shared.change { $0.machine.node != nil }
    guard hasJoined, let address = stated.flatMap({ LinkAddress($0) }) else {
      shared.directory.refresh()
      return didClose(link)
    }
    let literals = address.resolve(isLiteral: true)
    guard literals.isEmpty else { return connect(link, to: literals) }
    lastAttempt += 1
    let attempt = lastAttempt
    resolving[link] = (attempt, now + 2_000)
    let shared = shared
    let thread = SystemThread(named: "link-names") {
      let addresses = address.resolve(isLiteral: false)
      shared.change { $0.resolved.append((link, attempt, addresses)) }
    }
    guard thread != nil else { return fail(link) }
  }

  private func connect(_ link: LinkID, to addresses: [LinkSocketAddress]) {
    guard let connection = LinkConnection(link, to: addresses, shared.key, at: now),
      poller.add(connection.socket.descriptor, token: link)
    else { return fail(link) }
    connections[link] = connection
  }

  /// A process could not be reached.
  private func fail(_ link: LinkID) {
    resolving[link] = nil
    shared.directory.refresh()
    didClose(link)
  }

  private func didClose(_ link: LinkID) {
    connections[link] = nil
    let now = now
    shared.complete(shared.change { $0.machine.didClose(link, at: now) })
  }

  private func accept() {
    while true {
      guard let socket = LinkSocket.accepting(from: listener) else {
        switch errno {
        case EAGAIN: return
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
          poller.remove(listener.descriptor)
          acceptsAt = now + Self.acceptPause
          return
        // Linux also reports network errors of the new connection.
        default: continue
        }
      }
      let strangers = connections.values.filter { !$0.isDialled && $0.phase != .open }
      if strangers.count >= Self.strangers, let oldest = strangers.map(\.id).min() {
        connections[oldest] = nil
      }
      let link = shared.change { $0.machine.newLink() }
      guard let connection = LinkConnection(link, socket, shared.key, at: now),
        poller.add(connection.socket.descriptor, token: link)
      else { continue }
      connections[link] = connection
    }
  }

  /// Ends the connections and attempts whose time limits have expired.
  private func endLate() {
    for connection in connections.values where connection.isLate(at: now) {
      end(connection, .isClosed)
    }
    for (link, resolution) in resolving where resolution.deadline <= now { fail(link) }
  }

  private func end(_ connection: LinkConnection, _ failure: LinkConnection.Failure) {
    guard connections[connection.id] === connection else { return }
    switch failure {
    case .isClosed: break
    case .isForeign:
      log("a peer has another cluster.secret, or is no node", isDialled: connection.isDialled)
    case .isInvalid: log("a peer has violated the protocol", isDialled: connection.isDialled)
    // Expected while a node is replaced by the next one at its address.
    case .isRejected(.otherNode): break
    case .isRejected(let rejection): log(rejection.reason, isDialled: connection.isDialled)
    }
    if connection.isDialled, connection.phase != .open { shared.directory.refresh() }
    connection.end(at: now)
    didClose(connection.id)
  }

  private func log(_ reason: String, isDialled: Bool) {
    guard loggedAt[reason].map({ now - $0 >= Self.logPause }) ?? true else { return }
    loggedAt[reason] = now
    shared.logger.warning(
      isDialled ? "a node rejects this one" : "a connection to cluster.listen was rejected",
      ["reason": reason])
  }

  // MARK: Frames

  private func handle(_ event: Poller.Event) {
    guard let connection = connections[event.token] else { return }
    do throws(LinkConnection.Failure) {
      if connection.phase == .connecting {
        guard event.isWritable || event.isBroken else { return }
        if try connection.didConnect() {
          guard poller.add(connection.socket.descriptor, token: connection.id) else {
            throw .isClosed
          }
          return
        }
      }
      if event.isWritable { try connection.flush(at: now) }
      if connection.phase == .open, event.isWritable { fill(connection.id) }
      // A broken connection can have bytes.
      if event.isReadable || event.isBroken { connection.isReadable = true }
    } catch {
      end(connection, error)
    }
  }

  /// Sends the frames of a link, unless its socket accepts no more.
  private func fill(_ link: LinkID) {
    guard let connection = connections[link], connection.phase == .open,
      connection.unsent < LinkConnection.outputBound
    else { return }
    let frames = shared.change {
      $0.machine.takeFrames(of: link, bytes: LinkConnection.outputBound)
    }
    guard !frames.isEmpty else { return }
    send(frames, connection)
  }

  private func send(_ frames: [LinkFrame], _ connection: LinkConnection) {
    do throws(LinkConnection.Failure) {
      try connection.send(frames, at: now)
    } catch {
      end(connection, error)
    }
  }

  /// Reads from the sockets, unless the node has not handled what was received before.
  private func readWaiting() {
    for connection in connections.values where connection.isReadable {
      guard !shared.requests.isFull, !shared.messages.isFull else { return }
      read(connection)
    }
  }

  private func read(_ connection: LinkConnection) {
    var received = ReceivedFrames()
    defer { deliver(received, from: connection.id) }
    do throws(LinkConnection.Failure) {
      try unsafe connection.read(with: buffer, at: now) { frame throws(LinkConnection.Failure) in
        if connection.phase == .open {
          guard received.append(frame, isDialled: connection.isDialled) else { throw .isInvalid }
        } else if connection.isDialled {
          try didReceiveWelcome(frame, connection)
        } else {
          try didReceiveGreeting(frame, connection)
        }
      }
      if connection.isDialled, connection.phase == .greeting, connection.isSecure {
        greet(connection)
      }
    } catch {
      deliver(received, from: connection.id)
      received = ReceivedFrames()
      end(connection, error)
    }
  }

  /// Sends the greeting of this process once.
  private func greet(_ connection: LinkConnection) {
    let link = connection.id
    let (own, peer) = shared.change { ($0.machine.node, $0.machine.greets(link)) }
    guard let own, let peer else { return }
    let greeting = LinkGreeting(
      cluster: shared.cluster, from: own, at: "\(shared.address)", to: peer)
    send([LinkFrame(.greeting, greeting.bytes)], connection)
  }

  private func didReceiveWelcome(
    _ frame: LinkFrame, _ connection: LinkConnection
  ) throws(LinkConnection.Failure) {
    switch frame.kind {
    case .welcome:
      connection.didOpen()
      let (link, now) = (connection.id, now)
      shared.change { $0.machine.didOpen(link, at: now) }
    case .rejection:
      guard let rejection = UInt8(exactly: frame.number).flatMap(LinkRejection.init(rawValue:))
      else { throw .isInvalid }
      throw .isRejected(rejection)
    default: throw .isInvalid
    }
  }

  private func didReceiveGreeting(
    _ frame: LinkFrame, _ connection: LinkConnection
  ) throws(LinkConnection.Failure) {
    guard frame.kind == .greeting, let greeting = LinkGreeting(frame.content) else {
      throw .isInvalid
    }
    let (link, cluster, now) = (connection.id, shared.cluster, now)
    let result = shared.change { state in
      Result { () throws(LinkRejection) in
        let version = try greeting.version(in: cluster, at: state.machine.node)
        guard
          state.machine.didAccept(link, from: greeting.sender, at: greeting.address, now)
        else { throw .otherNode }
        return version
      }
    }
    switch result {
    case .success(let version):
      connection.didOpen()
      try connection.send([LinkFrame(.welcome, number: UInt64(version))], at: now)
      if shared.directory.address(of: greeting.sender) == nil { shared.directory.refresh() }
    case .failure(let rejection):
      try connection.send([LinkFrame(.rejection, number: UInt64(rejection.rawValue))], at: now)
      throw .isRejected(rejection)
    }
  }

  private func deliver(_ received: ReceivedFrames, from link: LinkID) {
    let (replies, shared) = (received.replies, shared)
    if !replies.isEmpty {
      let ended = shared.change { state in
        replies.compactMap { state.machine.didReceive(reply: $0, from: link) }
      }
      shared.complete(ended, size: received.size(replies))
    }
    guard !received.requests.isEmpty || !received.messages.isEmpty,
      let handler = shared.change({ $0.handler })
    else { return }
    let (requests, messages) = (received.requests, received.messages)
    if !requests.isEmpty {
      shared.requests.deliver(received.size(requests)) { [weak shared] in
        for request in requests {
          let number = request.number
          handler.didReceive(request: request.content) { [weak shared] reply in
            shared?.change { $0.machine.reply(reply, to: number, of: link) }
          }
        }
      }
    }
    if !messages.isEmpty {
      shared.messages.deliver(received.size(messages)) {
        for message in messages { handler.didReceive(message: message.content) }
      }
    }
  }
}

/// The frames of one read, by kind.
private struct ReceivedFrames {
  var requests: [LinkFrame] = []
  var messages: [LinkFrame] = []
  var replies: [LinkFrame] = []

  /// Adds a frame; returns `false` if the peer must not send it on a link of this direction.
  mutating func append(_ frame: LinkFrame, isDialled: Bool) -> Bool {
    switch (frame.kind, isDialled) {
    case (.request, false): requests.append(frame)
    case (.message, false): messages.append(frame)
    case (.reply, true): replies.append(frame)
    default: return false
    }
    return true
  }

  func size(_ frames: [LinkFrame]) -> Int { frames.reduce(0) { $0 + $1.size } }
}
