package import ReactorLog

/// The links of a process to others and of others to it: a value without a clock, sockets or threads.
///
/// A process that sends to another one connects to it; replies use the same link. Two processes that send to
/// each other have two links.
///
/// ```
///                    the peer accepts the greeting
///   dialling ──────────────────────────────────────────▶ open
///     ▲  │                                                 │
///     │  │ no connection: what waits is not delivered      │ the connection is lost: requests that were
///     │  ▼                                                 │ sent have an unknown fate, the rest waits
///   pausing ◀──────────────────────────────────────────────┘ (dialling at once after a second)
/// ```
package struct LinkMachine {
  /// An instruction for the thread of the connections.
  package enum Command: Equatable, Sendable {
    case dial(LinkID, NodeID)
    case close(LinkID)
    /// The process behind a link is gone, or has closed its connection.
    case lost(NodeID)
  }

  private enum Phase: Equatable {
    case dialling
    case open(since: Milliseconds)
    case pausing(until: Milliseconds)
  }

  private struct Link {
    let peer: NodeID
    let isDialled: Bool
    var phase: Phase
    var queue = FrameQueue()
    /// Whether the connection has the greeting of this process.
    var isGreeted = false
    /// The number of connections in succession that did not last.
    var failures = 0
  }

  /// The pauses between attempts to connect.
  package static let pauses: ClosedRange<Milliseconds> = 10...250
  /// The time after which a connection counts as lasting.
  private static let lastingTime: Milliseconds = 1_000
  /// The maximum number of links in each direction; the membership has at most 64 nodes.
  package static let linkLimit = 256

  /// The process, or `nil` while it has not joined the cluster.
  package private(set) var node: NodeID?
  package private(set) var pending = PendingRequests()
  private var links: [LinkID: Link] = [:]
  private var dialled: [NodeID: LinkID] = [:]
  private var accepted: [NodeID: (link: LinkID, address: String)] = [:]
  private var commands: [Command] = []
  /// The open links with frames to send.
  private var ready: Set<LinkID> = []
  private var lastLink: LinkID

  /// Creates a machine.
  ///
  /// - Parameter firstLink: The number of the first link; those below it are never used.
  package init(firstLink: LinkID = 1) { lastLink = firstLink - 1 }

  package mutating func newLink() -> LinkID {
    lastLink += 1
    return lastLink
  }

  /// Whether the thread has something to do without an event.
  package var hasWork: Bool { !commands.isEmpty || !ready.isEmpty }

  /// Whether ``tick(at:)`` may have an effect soon.
  package var isWaiting: Bool {
    !pending.isEmpty
      || links.values.contains { if case .open = $0.phase { false } else { true } }
  }

  /// Whether all frames for open links were taken.
  package var isDrained: Bool {
    links.values.allSatisfy { link in
      if case .open = link.phase { link.queue.isEmpty } else { true }
    }
  }

  /// Removes and returns the instructions in order.
  package mutating func takeCommands() -> [Command] {
    defer { commands.removeAll(keepingCapacity: true) }
    return commands
  }

  /// Removes and returns the links with frames to send.
  package mutating func takeReady() -> Set<LinkID> {
    defer { ready.removeAll(keepingCapacity: true) }
    return ready
  }

  // MARK: This process

  /// Begins or ends to accept links to a process; those to the previous one are closed, and those from it
  /// connect again.
  package mutating func join(as node: NodeID?) -> [LinkCompletion] {
    let isOther = self.node != node
    self.node = node
    guard isOther else { return [] }
    for (link, _) in accepted.values { close(link) }
    accepted = [:]
    guard node != nil else { return [] }
    var ended: [LinkCompletion] = []
    for (id, link) in links where link.isDialled {
      guard case .open = link.phase else { continue }
      ended += pending.end(id, onlySent: true)
      commands.append(.close(id))
      dial(id)
    }
    return ended
  }

  /// Sends a request; one for which the link has no room ends at its deadline.
  package mutating func request(
    _ bytes: [UInt8], to peer: NodeID, deadline: Milliseconds, _ receiver: @escaping ReplyReceiver
  ) {
    let link = link(to: peer)
    let number = pending.add(to: link ?? 0, deadline: deadline, receiver)
    // A request without room has an unknown fate at its deadline: the peer is not known to be gone.
    if link.map({ append(LinkFrame(.request, number: number, bytes), to: $0) }) != true {
      _ = pending.send(number)
    }
  }

  /// Sends a message to a process.
  package mutating func send(_ bytes: [UInt8], to peer: NodeID) {
    if let link = link(to: peer) { _ = append(LinkFrame(.message, bytes), to: link) }
  }

  /// Sends a message to processes, and to those that have a link to this one.
  package mutating func broadcast(_ bytes: [UInt8], to others: [NodeID]) {
    for peer in Set(others).union(accepted.keys) where peer != node { send(bytes, to: peer) }
  }

  /// Replies to a request of a link; closes a link that does not accept its replies.
  package mutating func reply(_ bytes: [UInt8], to number: UInt64, of link: LinkID) {
    guard let peer = links[link]?.peer, !append(LinkFrame(.reply, number: number, bytes), to: link)
    else { return }
    if accepted[peer]?.link == link { accepted[peer] = nil }
    close(link)
  }

  /// The address that a process with a link to this one has stated.
  package func statedAddress(of peer: NodeID) -> String? { accepted[peer]?.address }

  /// The link for what this process sends to another one, which is created if it is missing.
  ///
  /// Without a peer of that name it would have to be one of more than ``linkLimit`` processes: then it is
  /// `nil`.
  private mutating func link(to peer: NodeID) -> LinkID? {
    if let link = dialled[peer] { return link }
    guard dialled.count < Self.linkLimit else { return nil }
    let id = newLink()
    links[id] = Link(peer: peer, isDialled: true, phase: .dialling)
    dialled[peer] = id
    commands.append(.dial(id, peer))
    return id
  }

  private mutating func append(_ frame: LinkFrame, to id: LinkID) -> Bool {
    guard frame.content.count <= LinkFrame.bound, links[id]?.queue.append(frame) == true else {
      return false
    }
    if case .open = links[id]?.phase { ready.insert(id) }
    return true
  }

  private mutating func dial(_ id: LinkID) {
    guard let peer = links[id]?.peer else { return }
    ready.remove(id)
    links[id]?.phase = .dialling
    links[id]?.isGreeted = false
    commands.append(.dial(id, peer))
  }

  private mutating func close(_ id: LinkID) {
    links[id] = nil
    ready.remove(id)
    commands.append(.close(id))
  }

  // MARK: Connections

  /// Returns the next frames of a link, about as many bytes as stated.
  package mutating func takeFrames(of id: LinkID, bytes: Int) -> [LinkFrame] {
    var (frames, size) = ([LinkFrame](), 0)
    guard case .open = links[id]?.phase else { return [] }
    while size < bytes, let frame = links[id]?.queue.next() {
      if frame.kind == .request, !pending.send(frame.number) { continue }
      frames.append(frame)
      size += frame.size
    }
    if links[id]?.queue.isEmpty == false { ready.insert(id) }
    return frames
  }

  /// Returns the process to greet on a connection, once per connection.
  package mutating func greets(_ id: LinkID) -> NodeID? {
    guard links[id]?.phase == .dialling, links[id]?.isGreeted == false else { return nil }
    links[id]?.isGreeted = true
    return links[id]?.peer
  }

  /// The peer has accepted the greeting of this process.
  package mutating func didOpen(_ id: LinkID, at now: Milliseconds) {
    guard links[id]?.phase == .dialling else { return }
    links[id]?.phase = .open(since: now)
    ready.insert(id)
  }

  /// A process has connected to this one.
  ///
  /// - Returns: Whether there is room for the link, which replaces that of the same process.
  package mutating func didAccept(
    _ id: LinkID, from peer: NodeID, at address: String, _ now: Milliseconds
  ) -> Bool {
    if let (previous, _) = accepted[peer] { close(previous) }
    guard accepted[peer] != nil || accepted.count < Self.linkLimit else { return false }
    accepted[peer] = (id, address)
    links[id] = Link(peer: peer, isDialled: false, phase: .open(since: now))
    return true
  }

  /// The connection of a link is lost, or could not be established.
  ///
  /// - Returns: The requests that end.
  package mutating func didClose(_ id: LinkID, at now: Milliseconds) -> [LinkCompletion] {
    guard let link = links[id] else { return [] }
    ready.remove(id)
    guard link.isDialled else {
      links[id] = nil
      accepted[link.peer] = nil
      commands.append(.lost(link.peer))
      return []
    }
    guard case .open(let since) = link.phase else {
      // Nothing that waits was delivered.
      links[id]?.queue = FrameQueue()
      pause(id, at: now)
      return pending.end(id, onlySent: false)
    }
    commands.append(.lost(link.peer))
    if now - since >= Self.lastingTime {
      links[id]?.failures = 0
      link.queue.isEmpty ? remove(id) : dial(id)
    } else {
      pause(id, at: now)
    }
    return pending.end(id, onlySent: true)
  }

  private mutating func pause(_ id: LinkID, at now: Milliseconds) {
    let failures = links[id]?.failures ?? 0
    let pause = min(
      Self.pauses.lowerBound << Milliseconds(min(failures, 8)), Self.pauses.upperBound)
    links[id]?.failures = failures + 1
    links[id]?.phase = .pausing(until: now + pause)
  }

  private mutating func remove(_ id: LinkID) {
    guard let link = links.removeValue(forKey: id) else { return }
    dialled[link.peer] = nil
  }

  /// A frame has arrived.
  ///
  /// - Returns: The completion of a request, or `nil` if the frame is no reply to one.
  package mutating func didReceive(reply: LinkFrame, from id: LinkID) -> LinkCompletion? {
    pending.reply(to: reply.number, from: id).map { LinkCompletion($0, .success(reply.content)) }
  }

  /// Ends the requests whose time has passed, and begins the attempts to connect whose pause has passed.
  package mutating func tick(at now: Milliseconds) -> [LinkCompletion] {
    for (id, link) in links {
      guard case .pausing(let end) = link.phase, end <= now else { continue }
      link.queue.isEmpty ? remove(id) : dial(id)
    }
    return pending.expire(at: now)
  }
}
