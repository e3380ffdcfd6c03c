internal import Glibc
internal import ReactorTransport
internal import Shares
internal import Synchronization
internal import SystemThreads

extension RequestWorker {
  /// Adds a connection that libmicrohttpd has opened, and returns its index.
  func connectionOpened(_ connection: Connection) -> Int {
    let index = freeSlots.popLast() ?? slots.count
    if index == slots.count { slots.append(freshSlot) }
    let socket = connection.socket
    slots[index].connection = connection
    slots[index].socket = socket
    while slotOfSocket.count <= Int(socket) { slotOfSocket.append(-1) }
    slotOfSocket[Int(socket)] = Int32(index)
    slots[index].peer = arriving?.peer
    slots[index].client = arriving?.peer.flatMap { peer in
      // The reads of a trusted proxy are not limited: it has the connections of many clients.
      core.settings.limits.isExempt(peer) ? nil : TurnBudget.entry(of: peer)
    }
    if let place = arriving?.place { slots[index].place = place }
    slots[index].isReserved = arriving?.isReserved ?? false
    arriving = nil
    deadlines.enter(.opened, index)
    return index
  }

  /// Removes a connection; libmicrohttpd closes its descriptor next.
  func connectionClosed(_ index: Int) {
    guard slots.indices.contains(index), let connection = slots[index].connection else { return }
    if slots[index].isRejected { sendRejection(to: connection, index) }
    if slots[index].isClosing { closingIdle -= 1 }
    slotOfSocket[Int(slots[index].socket)] = -1
    if slots[index].place.isCounted { slots[index].place.account?.release(.connections) }
    slots[index] = freshSlot
    deadlines.remove(index)
    budget.remove(index)
    writes.remove(index)
    freeSlots.append(index)
    core.releaseConnection()
  }

  private var freshSlot: ConnectionSlot {
    ConnectionSlot(scanner: RequestScanner(headLimit: Daemon.headLimit(core.settings.limits)))
  }

  /// Decides whether libmicrohttpd reads a connection in this turn.
  func mayReceive(from descriptor: Int32) -> Bool {
    guard slotOfSocket.indices.contains(Int(descriptor)) else { return true }
    let index = Int(slotOfSocket[Int(descriptor)])
    guard index >= 0, let client = slots[index].client ?? slots[index].bodyClient else {
      return true
    }
    return budget.admits(index, of: client, at: Clock.milliseconds)
  }

  /// Decides how many of the next bytes of a response libmicrohttpd writes in this turn.
  func maySend(_ size: Int, to descriptor: Int32) -> Int {
    // Streams without a thread of their own also write in the turn; they have limits of their own.
    guard size > WriteBudget.small, slotOfSocket.indices.contains(Int(descriptor)) else {
      return size
    }
    let index = Int(slotOfSocket[Int(descriptor)])
    guard index >= 0 else { return size }
    let client = slots[index].client
    return writes.grant(size, to: index, of: client)
  }

  /// Begins a turn: resets the budgets, and continues the connections that have waited for it.
  func beginTurn() {
    budget.beginTurn()
    writes.beginTurn()
    for index in budget.due { slots[index].connection?.reportAgain(in: daemonDescriptor) }
    for index in writes.due { slots[index].connection?.reportAgain(in: daemonDescriptor) }
  }

  /// Checks bytes that libmicrohttpd has received from a connection, and rewrites them for its parser.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - descriptor: The socket of the connection.
  ///   - hasRoom: Whether the buffer has room for more bytes. If it is full, no head is replaced:
  ///     from a buffer with room libmicrohttpd infers that the socket has no more bytes, and would
  ///     wait.
  /// - Returns: The number of bytes that libmicrohttpd parses; -1 if it has to wait for more. With 0,
  ///   libmicrohttpd treats the connection as closed by the client and closes it without a response;
  ///   `connectionClosed(_:)` sends the rejection.
  func scan(
    _ bytes: UnsafeMutableBufferPointer<UInt8>, from descriptor: Int32, replacing hasRoom: Bool
  ) -> Int {
    guard slotOfSocket.indices.contains(Int(descriptor)) else { return bytes.count }
    let index = Int(slotOfSocket[Int(descriptor)])
    guard index >= 0 else { return bytes.count }
    guard Daemon.isKnown else {
      let accepted = unsafe slots[index].scanner.scan(UnsafeBufferPointer(bytes))
      if accepted == 0 { slots[index].isRejected = true }
      return accepted
    }
    guard let kept = unsafe slots[index].scanner.filter(bytes, replacingHead: hasRoom) else {
      slots[index].isRejected = true
      return 0
    }
    if !hasRoom, kept < bytes.count { slots[index].connection?.reportAgain(in: daemonDescriptor) }
    return kept > 0 ? kept : -1
  }

  /// Responds to a request that is not HTTP; the stream loop writes the response and waits for the
  /// client to close.
  private func sendRejection(to connection: Connection, _ index: Int) {
    guard let violation = slots[index].scanner.violation,
      let socket = connection.duplicateSocket()
    else { return }
    core.adopt(
      HandOff(
        socket: socket, rejection: HTTPResponse(status: violation.rawValue), isHead: false,
        place: slots[index].place, client: slots[index].client))
  }

  /// Starts the timeout of the head when libmicrohttpd has read a request line.
  ///
  /// The first request line of a connection extends no deadline: its timeout counts from the
  /// opening.
  func requestLineArrived(_ index: Int) {
    deadlines.enter(.receivingHead, from: .idle, index)
  }

  /// Suspends a connection until the response to its exchange is ready.
  func suspend(_ exchange: Exchange, _ index: Int) {
    slots[index].suspended = exchange
    slots[index].connection?.suspend()
  }

  /// Resumes a connection whose response is ready.
  func resume(_ exchange: Exchange) {
    let index = exchange.slot
    // `rejectAllWaiting()` may have resumed the connection already.
    guard slots[index].suspended === exchange else { return }
    slots[index].suspended = nil
    slots[index].connection?.resume()
  }

  /// Rejects requests that wait for a response, and from now on those without an immediate one.
  func rejectAllWaiting() {
    rejectsWaiting = true
    for slot in slots {
      guard let exchange = slot.suspended else { continue }
      exchange.rejectWaiting()
      resume(exchange)
    }
  }

  /// Counts the body of a response until it is sent.
  ///
  /// - Parameters:
  ///   - bytes: The body.
  ///   - index: The index of the connection.
  ///   - account: The account of the client of the request, which a trusted proxy has passed on.
  func count(_ bytes: [UInt8], _ index: Int, for account: Account?) {
    slots[index].body.size = bytes.count
    slots[index].body.client =
      slots[index].client ?? account.map { TurnBudget.entry(of: $0.client) }
      ?? ConnectionTurns.others
    if bytes.count >= Connection.sharedSize {
      // The address identifies the body, which the response retains.
      slots[index].body.address = unsafe bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }
    bodies.add(slots[index].body)
  }

  /// Releases the body of the response of a connection, if it is counted.
  func releaseBody(_ index: Int) {
    guard slots[index].body.size > 0 else { return }
    bodies.remove(slots[index].body)
    slots[index].body = SentBodies.Body()
  }

  /// Shuts down sockets of the client with the most bytes of responses, until the others may retain theirs.
  func closeLargestResponses() {
    while core.settings.ledger.mustRelease(.responses), let client = core.sentBytes.largest {
      let largest = slots.indices
        .filter { slots[$0].body.size > 0 && slots[$0].body.client == client }
        .max { bodies.weight(of: slots[$0].body) < bodies.weight(of: slots[$1].body) }
      guard let largest else {
        // The connections of the client are those of another thread.
        return core.closeLargest(except: loop)
      }
      releaseBody(largest)
      core.settings.ledger.didEnd(.responses)
      _ = shutdown(slots[largest].socket, Int32(SHUT_RDWR))
    }
  }

  /// Shuts down the sockets of overdue connections.
  ///
  /// libmicrohttpd has no call to close a connection; it closes one whose socket hangs up.
  func closeOverdue() {
    deadlines.endTurn(at: now)
    while let (index, phase) = deadlines.takeOverdue(at: now) {
      let socket = slots[index].socket
      switch phase {
      case .idle, .responding: break
      case .receiving:
        // libmicrohttpd still reads the body and writes nothing, so that the 408 can be written
        // here.
        let head = ResponseHead(status: 408, headers: HTTPFields(), framing: .length(0))
        _ = StreamSocket(socket).write(OutboundBytes(head.bytes))
        core.overdue.add(1, ordering: .relaxed)
      case .opened, .receivingHead, .sending: core.overdue.add(1, ordering: .relaxed)
      }
      _ = shutdown(socket, Int32(SHUT_RDWR))
    }
  }
}
