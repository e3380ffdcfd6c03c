package import ReactorLog

/// The owner's side: requests that arrive for a session, and the release of sessions.
extension ClusterMachine {
  /// A request arrived from another node.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - isInMemory: Whether the session that it names is in this node's memory.
  ///   - canMove: Whether the session can move to the sender, see ``ClientAffinity``.
  ///   - token: Identifies the request in `ClusterEffect.reply(_:_:)`.
  ///   - sender: The other node.
  ///   - now: The time.
  package mutating func received(
    _ request: NodeRequest, isInMemory: Bool, canMove: Bool = false, reply token: ReplyToken,
    from sender: NodeID, at now: Milliseconds
  ) {
    switch request {
    case .probe, .list, .applyGlobal, .describe: emit(.reply(token, .alive))
    case .locate(let numbers): emit(.reply(token, .absent(absent(among: numbers))))
    case .forward(let request):
      let arrival = Arrival(request, from: .node(token))
      guard !isInMemory || !canMove || !handOver(arrival, at: now) else { return }
      arrive(arrival, isInMemory: isInMemory, at: now)
    case .release(let key):
      let isComing = acquisitions[key] != nil || busy[key] != nil
      if isInMemory || isComing && state == .draining {
        let keepsIfUsed = isInMemory && now < forcesReleaseAt
        emit(.release(key, to: sender, forced: state == .draining && !keepsIfUsed, token))
      } else {
        emit(.reply(token, isComing ? .ownedBy(node) : .released))
      }
    }
  }

  /// Returns the requests that this node does not execute, and that do not wait for a session that
  /// it is about to own.
  private func absent(among numbers: [RequestNumber]) -> [RequestNumber] {
    let absent = numbers.filter { !isExecuting($0) }
    guard !absent.isEmpty, !acquisitions.isEmpty else { return absent }
    let waiting = Set(acquisitions.values.flatMap { $0.waiting.map(\.request.number) })
    return absent.filter { !waiting.contains($0) }
  }

  /// A request has arrived from another node, or from a client of this one.
  mutating func arrive(_ arrival: Arrival, isInMemory: Bool, at now: Milliseconds) {
    let key = arrival.request.session
    if let running = executing[arrival.request.number] {
      // The request is a repetition: reply to this delivery too, since the reply to the previous
      // one may not arrive.
      executions[running]?.replies.append(arrival.source)
      return
    }
    if isInMemory { return execute(arrival) }
    // The log may not name the next owner yet, since that node has not appended to the session.
    if let next = handedOver.owner(of: key, at: now), acquisitions[key] == nil, isReady(next) {
      return reply(.ownedBy(next), to: arrival.source, at: now)
    }
    if isStopping, let next = Placement.owner(of: key, among: readyNodes) {
      return reply(.ownedBy(next), to: arrival.source, at: now)
    }
    acquire(arrival, at: now)
  }

  /// Hands a session over to the edge of a request, which then executes the request.
  ///
  /// - Returns: Whether the host was instructed to hand the session over: `false` if this node
  ///   loads the session, executes a request of it or is about to stop, or if the edge is not
  ///   ready.
  private mutating func handOver(_ arrival: Arrival, at now: Milliseconds) -> Bool {
    let (number, key) = (arrival.request.number, arrival.request.session)
    guard busy[key] == nil, acquisitions[key] == nil, !isExecuting(number), !isStopping,
      isReady(number.edge)
    else { return false }
    // If the session is in use and stays, the entry has no effect while the session is in memory.
    handedOver.set(number.edge, for: key, at: now)
    start(Execution(request: arrival.request, replies: [arrival.source]), handsOver: true)
    return true
  }

  private func isReady(_ other: NodeID) -> Bool {
    membership.members[other]?.heartbeat.state == .ready
  }

  private mutating func acquire(_ arrival: Arrival, at now: Milliseconds) {
    let key = arrival.request.session
    if let waiting = acquisitions[key]?.waiting.count {
      guard waiting < Acquisition.limit else {
        return reply(.unavailable, to: arrival.source, at: now)
      }
      acquisitions[key]?.waiting.append(arrival)
      return
    }
    acquisitions[key] = Acquisition(waiting: [arrival])
    emit(.findLastWriter(key))
  }

  /// The log's last writer of a session was read, after `ClusterEffect.findLastWriter(_:)`.
  ///
  /// The release is requested from the living node with the writer's name, however old the last
  /// message of the writer is: a session without recent commits may have subscribers there.
  package mutating func foundLastWriter(
    _ result: Result<NodeID?, LogError>, of key: SessionKey, at now: Milliseconds
  ) {
    guard acquisitions[key] != nil else { return }
    switch result {
    case .failure: endAcquisition(of: key, with: .unavailable, at: now)
    case .success(let writer):
      guard let writer, writer.name != node.name, let owner = membership.living(writer.name) else {
        return grant(key, at: now)
      }
      call(.release(key), .release(key), owner, timeout: settings.release)
    }
  }

  /// The reply to a request for a release arrived.
  mutating func didRelease(
    _ key: SessionKey, _ reply: Result<NodeReply, BusError>, at now: Milliseconds
  ) {
    guard let acquisition = acquisitions[key] else { return }
    switch reply {
    case .success(.ownedBy(let owner)) where owner != node:
      endAcquisition(of: key, with: .ownedBy(owner), at: now)
    case .success, .failure(.noSuchNode): grant(key, at: now)
    case .failure(.timedOut):
      let attempts = acquisition.attempts + 1
      acquisitions[key]?.attempts = attempts
      // The owner is alive, but does not release the session: no client waits any longer for the
      // request that began the acquisition.
      guard Milliseconds(attempts) * settings.release < settings.requestLimit else {
        return endAcquisition(of: key, with: .unavailable, at: now)
      }
      // Another node may have written to the session in the meantime.
      emit(.findLastWriter(key))
    }
  }

  /// Ends the acquisition of a session that this node does not own, with a reply to each request
  /// that waits for it.
  private mutating func endAcquisition(
    of key: SessionKey, with reply: NodeReply, at now: Milliseconds
  ) {
    for arrival in acquisitions.removeValue(forKey: key)?.waiting ?? [] {
      self.reply(reply, to: arrival.source, at: now)
    }
  }

  /// Executes the requests that wait for a session, in the order of their arrival.
  mutating func grant(_ key: SessionKey, at now: Milliseconds) {
    guard let acquisition = acquisitions.removeValue(forKey: key) else { return }
    hints.remove(key)
    handedOver.remove(key)
    emit(.claim(key))
    for arrival in acquisition.waiting { execute(arrival) }
  }

  /// Another node has begun to own a session.
  ///
  /// If the session is in this node's memory as well, either this node was marked as failed, or
  /// both nodes have taken the session over from a third one at the same time. Both evict their
  /// copy, which may be stale. One of the two nodes executes the requests of both: if each took the
  /// session over again, each would displace the other.
  ///
  /// - Parameters:
  ///   - key: The session.
  ///   - owner: The other node.
  ///   - isInMemory: Whether the session is in this node's memory.
  ///   - now: The time.
  package mutating func claimed(
    _ key: SessionKey, by owner: NodeID, isInMemory: Bool, at now: Milliseconds
  ) {
    guard isInMemory, owner != node else { return }
    let continues = state == .ready && Placement.prefers(node, to: owner, for: key)
    if !continues, membership.isAlive(owner) { hints.set(owner, for: key, at: now) }
    emit(.release(key, to: continues ? node : owner, forced: true, nil))
  }

  // MARK: Execution

  func isExecuting(_ number: RequestNumber) -> Bool {
    executing[number] != nil
  }

  private mutating func execute(_ arrival: Arrival) {
    // A local request may have expired while it waited. Its client then has a response already.
    if case .edge(let count) = arrival.source, pending[count] == nil { return }
    if let running = executing[arrival.request.number] {
      executions[running]?.replies.append(arrival.source)
      return
    }
    start(
      Execution(request: arrival.request, replies: [arrival.source], attempts: arrival.attempts))
  }

  private mutating func start(_ execution: Execution, handsOver: Bool = false) {
    let id = newID()
    executions[id] = execution
    executing[execution.request.number] = id
    busy[execution.request.session, default: 0] += 1
    emit(handsOver ? .handOver(id, execution.request) : .execute(id, execution.request))
  }

  /// The host has executed a request.
  package mutating func executed(
    _ id: ExecutionID, _ result: ExecutionResult, at now: Milliseconds
  ) {
    guard let execution = executions.removeValue(forKey: id) else { return }
    let key = execution.request.session
    executing[execution.request.number] = nil
    if let count = busy[key] { busy[key] = count > 1 ? count - 1 : nil }
    switch result {
    case .response(let bytes): reply(.response(bytes), to: execution, at: now)
    case .unavailable: reply(.unavailable, to: execution, at: now)
    case .unreadable(let bytes): reply(.unreadable(bytes), to: execution, at: now)
    case .unknown: reply(.unknown, to: execution, at: now)
    case .running: reply(.running, to: execution, at: now)
    case .displaced(let winner): displaced(execution, by: winner, at: now)
    }
  }

  /// The session has left this node: redirects the request to the new owner, or acquires the
  /// session again.
  private mutating func displaced(
    _ execution: Execution, by winner: NodeID?, at now: Milliseconds
  ) {
    let key = execution.request.session
    let winner = winner ?? hints.owner(of: key, at: now)
    if let winner, winner.name != node.name, let owner = membership.living(winner.name) {
      hints.set(owner, for: key, at: now)
      return reply(.ownedBy(owner), to: execution, at: now)
    }
    guard execution.attempts < 3, !isStopping else {
      let next = owner(of: key, at: now)
      let isElsewhere = next != nil && next != node
      return reply(isElsewhere ? .ownedBy(next ?? node) : .unavailable, to: execution, at: now)
    }
    for source in execution.replies {
      acquire(
        Arrival(execution.request, from: source, attempts: execution.attempts + 1), at: now)
    }
  }

  private mutating func reply(_ reply: NodeReply, to execution: Execution, at now: Milliseconds) {
    for source in execution.replies { self.reply(reply, to: source, at: now) }
  }

  private mutating func reply(
    _ reply: NodeReply, to source: Arrival.Source, at now: Milliseconds
  ) {
    switch source {
    case .node(let token): emit(.reply(token, reply))
    case .edge(let count): edge(count, received: reply, from: node, at: now)
    }
  }
}
