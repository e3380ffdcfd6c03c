package import ReactorLog

/// The edge's side: requests of this node's clients, until their response.
///
/// ```
///              ┌────── owned by X, running, repetition ─────┐
///              ▼                                            │
/// submit ──▶ routed ──▶ at this node, or sent to the owner ─┼─▶ response
///              ▲                                            ├─▶ unavailable: not executed
///              └────── the owner failed ────────────────────┴─▶ unknown: two owners failed, or no reply
/// ```
extension ClusterMachine {
  /// A client of this node sends a request.
  ///
  /// - Parameters:
  ///   - payload: The request in the host's encoding.
  ///   - key: Its session.
  ///   - kind: Whether the request can be executed more than once.
  ///   - token: Identifies the request in `ClusterEffect.respond(_:_:)`.
  ///   - isInMemory: Whether the session is in this node's memory.
  ///   - now: The time.
  package mutating func submit(
    _ payload: [UInt8], for key: SessionKey, kind: ForwardedRequest.Kind, token: RequestToken,
    isInMemory: Bool, at now: Milliseconds
  ) {
    guard pending.count < settings.pending else { return emit(.respond(token, .unavailable)) }
    let count = newID()
    let request = ForwardedRequest(
      number: RequestNumber(edge: node, count: count), session: key, kind: kind, payload: payload)
    pending[count] = Pending(request: request, token: token, startedAt: now)
    if isInMemory { return send(count, to: node, isInMemory: true, at: now) }
    route(count, at: now)
  }

  /// The number of requests without a response.
  package var pendingCount: Int { pending.count }

  /// Sends a request to the presumed owner.
  mutating func route(_ count: UInt64, at now: Milliseconds) {
    guard let request = pending[count] else { return }
    guard let owner = owner(of: request.request.session, at: now) else {
      return retry(count, after: settings.pause, at: now)
    }
    send(count, to: owner, isInMemory: false, at: now)
  }

  private mutating func send(
    _ count: UInt64, to target: NodeID, isInMemory: Bool, at now: Milliseconds
  ) {
    guard var request = pending[count] else { return }
    request.target = target
    request.retryAt = nil
    request.sentAt = now
    (request.nextProbe, request.isProbed) = (now + settings.probe, false)
    request.request.isRepeated = request.mayBeExecuted
    request.call = nil
    pending[count] = request
    guard target != node else {
      return arrive(
        Arrival(request.request, from: .edge(count)), isInMemory: isInMemory, at: now)
    }
    let id = call(
      .forward(count), .forward(request.request), target, timeout: settings.repetition)
    pending[count]?.call = id
  }

  /// Routes a request again after a pause.
  mutating func retry(_ count: UInt64, after pause: Milliseconds, at now: Milliseconds) {
    if let call = pending[count]?.call { calls[call] = nil }
    pending[count]?.call = nil
    pending[count]?.target = nil
    pending[count]?.retryAt = now + pause
  }

  @discardableResult
  mutating func call(
    _ call: Call, _ request: NodeRequest, _ target: NodeID, timeout: Milliseconds
  ) -> CallID {
    let id = newID()
    calls[id] = (call, target)
    emit(.request(id, target, request, timeout: timeout))
    return id
  }

  /// The maximum number of requests that one query names.
  private static let locatedRequests = 1_000

  /// Queries a node about requests without a reply.
  ///
  /// This detects a killed process, to which the bus does not deliver the query. It also detects a
  /// request or a reply that was lost with a connection, which is then repeated without
  /// waiting for ``ClusterSettings/repetition``.
  mutating func locate(_ counts: [UInt64], at target: NodeID) {
    for start in stride(from: 0, to: counts.count, by: Self.locatedRequests) {
      let part = counts[start..<min(start + Self.locatedRequests, counts.count)]
      let located = part.compactMap { count in
        pending[count].flatMap { request in request.call.map { (count, $0, request.request.number) }
        }
      }
      let deliveries = Dictionary(uniqueKeysWithValues: located.map { ($0.0, $0.1) })
      call(
        .locate(deliveries), .locate(located.map(\.2)), target, timeout: settings.suspect)
    }
  }

  /// A node has reported requests that it does not execute: repeats them, since a delivery or its
  /// reply was lost.
  ///
  /// The replies of a node arrive in order, so a reply that is still missing was lost.
  private mutating func didLocate(
    _ deliveries: [UInt64: CallID], absent: [RequestNumber], at now: Milliseconds
  ) {
    for number in absent {
      guard let delivery = deliveries[number.count], let request = pending[number.count],
        request.call == delivery, request.request.number == number
      else { continue }
      calls[delivery] = nil
      pending[number.count]?.mayBeExecuted = true
      route(number.count, at: now)
    }
  }

  // MARK: Replies

  /// The reply to `ClusterEffect.request(_:_:_:timeout:)` arrived, or its error.
  package mutating func received(
    _ reply: Result<NodeReply, BusError>, of id: CallID, at now: Milliseconds
  ) {
    guard let (call, target) = calls[id] else { return }
    if case .failure(.noSuchNode) = reply, membership.isAlive(target) {
      return notDelivered(id, to: target, at: now)
    }
    calls[id] = nil
    if case .success = reply { didReach(target, at: now) }
    switch call {
    case .probe: break
    case .locate(let deliveries):
      guard case .success(.absent(let numbers)) = reply else { return }
      didLocate(deliveries, absent: numbers, at: now)
    case .global(let token): didApply(token, isConfirmed: reply == .success(.applied))
    case .release(let key): didRelease(key, reply, at: now)
    case .forward(let count): didForward(count, reply, from: target, at: now)
    }
  }

  private mutating func didForward(
    _ count: UInt64, _ reply: Result<NodeReply, BusError>, from target: NodeID,
    at now: Milliseconds
  ) {
    pending[count]?.call = nil
    switch reply {
    case .success(let reply): edge(count, received: reply, from: target, at: now)
    case .failure(.noSuchNode):
      ownerFailed(count, mayBeExecuted: pending[count]?.mayBeExecuted ?? false, at: now)
    case .failure(.timedOut):
      pending[count]?.mayBeExecuted = true
      route(count, at: now)
    }
  }

  /// The owner of a request has failed: sends the request to another owner, with the same number.
  mutating func ownerFailed(_ count: UInt64, mayBeExecuted: Bool, at now: Milliseconds) {
    guard var request = pending[count] else { return }
    request.call = nil
    if mayBeExecuted {
      request.mayBeExecuted = true
      request.failedOwners += 1
    }
    pending[count] = request
    let isExhausted = request.failedOwners >= settings.failedOwners
    if isExhausted, request.request.kind == .action { return finish(count, .unknown) }
    route(count, at: now)
  }

  /// A reply arrived from the target of a request, which may be this node.
  mutating func edge(
    _ count: UInt64, received reply: NodeReply, from target: NodeID, at now: Milliseconds
  ) {
    guard let request = pending[count] else { return }
    let key = request.request.session
    switch reply {
    case .response(let bytes):
      if target != Placement.owner(of: key, among: readyNodes) {
        hints.set(target, for: key, at: now)
      }
      finish(count, .response(bytes, from: target))
    case .ownedBy(let owner): redirect(count, to: owner, from: target, at: now)
    case .running: retry(count, after: settings.pause, at: now)
    case .unavailable: finishUnexecuted(count)
    case .unreadable(let response): passOn(count, from: target, orRespond: response, at: now)
    case .unknown, .released, .alive, .sessions, .applied, .description, .absent:
      finish(count, .unknown)
    }
  }

  /// Sends a request to a node that may be able to read its session, in the order of their placement.
  ///
  /// During a rolling upgrade, a node of the other release keeps the sessions that this one cannot read.
  private mutating func passOn(
    _ count: UInt64, from target: NodeID, orRespond response: [UInt8], at now: Milliseconds
  ) {
    guard var request = pending[count] else { return }
    request.unreadableAt.insert(target)
    pending[count] = request
    let key = request.request.session
    if hints.owner(of: key, at: now) == target { hints.remove(key) }
    let others = readyNodes.filter { !request.unreadableAt.contains($0) }
    guard let next = Placement.owner(of: key, among: others) else {
      return finish(count, .response(response, from: target))
    }
    send(count, to: next, isInMemory: false, at: now)
  }

  private mutating func redirect(
    _ count: UInt64, to owner: NodeID, from target: NodeID, at now: Milliseconds
  ) {
    guard let request = pending[count] else { return }
    guard isAlive(owner), owner != target else {
      return retry(count, after: settings.pause, at: now)
    }
    guard request.hops + 1 < settings.hops else { return finishUnexecuted(count) }
    pending[count]?.hops += 1
    if owner == node { handedOver.remove(request.request.session) }
    hints.set(owner, for: request.request.session, at: now)
    route(count, at: now)
  }

  // MARK: The end of a request

  /// Ends a request whose last delivery was not executed.
  private mutating func finishUnexecuted(_ count: UInt64) {
    guard let request = pending[count] else { return }
    finish(count, request.mayBeExecuted ? .unknown : .unavailable)
  }

  /// Ends a request that has waited too long.
  mutating func expire(_ count: UInt64) {
    guard let request = pending[count] else { return }
    let isDelivered = request.call != nil || isExecuting(request.request.number)
    finish(count, request.mayBeExecuted || isDelivered ? .unknown : .unavailable)
  }

  mutating func finish(_ count: UInt64, _ result: RequestResult) {
    guard let request = pending.removeValue(forKey: count) else { return }
    if let call = request.call { calls[call] = nil }
    emit(.respond(request.token, result))
  }
}
