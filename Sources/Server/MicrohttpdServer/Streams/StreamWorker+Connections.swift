internal import ReactorTransport
internal import Shares
internal import Synchronization
internal import SystemThreads

extension StreamWorker {
  /// Opens a connection.
  func open(_ arrival: HandOff) {
    let index = freeSlots.popLast() ?? slots.count
    let connection = StreamConnection(
      head: arrival.head, hasStream: arrival.stream != nil, isChunked: arrival.isChunked)
    let socket = StreamSocket(arrival.socket)
    count(arrival.head.count, of: arrival.client ?? ConnectionTurns.others)
    let slot = StreamSlot(
      connection: connection, descriptor: arrival.socket,
      client: arrival.client ?? ConnectionTurns.others,
      generation: index == slots.count ? 0 : slots[index].generation &+ 1, stream: arrival.stream,
      permit: arrival.permit, account: arrival.account)
    if index == slots.count { slots.append(slot) } else { slots[index] = slot }
    if let stream = arrival.stream {
      silence.touch(index, at: now)
      unchecked.touch(index, at: now)
      // Join the groups before the first poll, so that no wake is lost in between.
      for group in stream.groups where memberships.join(index, group) { group.add(loop) }
    } else {
      beginToLinger(index)
    }
    socket.sendWithoutDelay()
    let token = UInt64(slots[index].generation) << 32 | UInt64(index)
    guard socket.watch(in: loop.poller, token: token) else { return close(index) }
    enqueue(index)
  }

  /// Carries out the steps of a connection, within its share of the turn.
  func serve(_ index: Int) {
    if slots[index].hasInput { dropInput(index) }
    var polls = OutboundBytes.pieceBound
    let start = bytesWritten
    while let socket = slots[index].socket {
      switch slots[index].connection.step {
      case .rest: return
      case .poll:
        guard polls > 0 else { return enqueue(index) }
        polls -= 1
        poll(index)
      case .write:
        guard bytesWritten - start < OutboundBytes.share else { return enqueue(index) }
        write(index, to: socket)
      case .shutDown: shutDown(index, socket)
      }
    }
  }

  /// Begins the time in which the client of an ended connection has to close it.
  private func beginToLinger(_ index: Int) {
    lingering.touch(index, at: now)
    // Descriptors are limited: close the connection that has lingered longest.
    if lingering.count > DescriptorBudget.lingering, let oldest = lingering.oldest {
      close(oldest.index)
    }
  }

  /// Closes a connection in any state.
  func close(_ index: Int) {
    guard let socket = slots[index].socket else { return }
    slots[index].descriptor = -1
    silence.remove(index)
    unchecked.remove(index)
    endStall(index)
    lingering.remove(index)
    queue.remove(index)
    socket.close()
    endStream(index)
    count(-slots[index].connection.pending.count, of: slots[index].client)
    // The slot holds nothing of the client any more: neither its permit nor bytes that it has not read.
    slots[index] = StreamSlot(generation: slots[index].generation)
    freeSlots.append(index)
  }

  /// Closes all connections, after a last chunk if the socket has room for it.
  func endAll() {
    for index in slots.indices {
      guard let socket = slots[index].socket else { continue }
      update(index) { $0.finish() }
      while slots[index].socket != nil, slots[index].connection.step == .write {
        write(index, to: socket)
      }
      if slots[index].connection.step == .shutDown { socket.shutDown() }
      close(index)
    }
  }

  /// Changes a connection, and counts its unsent bytes.
  func update(_ index: Int, _ change: (inout StreamConnection) -> Void) {
    let before = slots[index].connection.pending.count
    change(&slots[index].connection)
    count(slots[index].connection.pending.count - before, of: slots[index].client)
  }

  /// Counts a change of the bytes that are held because they are not sent; a piece that several connections share
  /// counts for each.
  private func count(_ difference: Int, of client: TurnBudget.Entry) {
    guard difference != 0 else { return }
    ledger.take(.events, difference, for: nil)
    unsent.add(difference, of: client)
  }

  /// Closes connections of the client with the most unsent bytes, until the others may retain theirs.
  func closeLargest() {
    while ledger.mustRelease(.events), let client = unsent.largest {
      let largest = slots.indices.filter { slots[$0].client == client }
        .max { heldBytes(of: $0) < heldBytes(of: $1) }
      guard let largest, heldBytes(of: largest) > 0 else { return }
      ledger.didEnd(.events)
      close(largest)
    }
  }

  private func heldBytes(of index: Int) -> Int {
    slots[index].connection.pending.count + (retained[index] ?? 0)
  }

  private func poll(_ index: Int) {
    guard let stream = slots[index].stream else { return update(index) { $0.finish() } }
    let output = stream.next()
    update(index) { $0.accept(output) }
    guard !slots[index].connection.isStreaming else { return }
    silence.remove(index)
    unchecked.remove(index)
    lingering.touch(index, at: now)
  }

  func write(_ index: Int, to socket: StreamSocket) {
    switch socket.write(slots[index].connection.pending) {
    case .bytes(let count):
      update(index) { $0.wrote(count) }
      bytesWritten += count
      if stalled.count > 0 || !retained.isEmpty { endStall(index) }
      if slots[index].connection.isStreaming {
        silence.touch(index, at: now)
      } else {
        lingering.touch(index, at: now)
      }
    case .full:
      slots[index].connection.mustWait()
      beginStall(index)
    case .broken: close(index)
    }
  }

  /// Records that a socket is full: meanwhile the stream retains what its client has not read.
  private func beginStall(_ index: Int) {
    if stall > 0, stalled.time(of: index) == nil { stalled.touch(index, at: now) }
    guard retained[index] == nil, let bytes = slots[index].stream?.retainedBytes, bytes > 0 else {
      return
    }
    retained[index] = bytes
    count(bytes, of: slots[index].client)
  }

  private func endStall(_ index: Int) {
    stalled.remove(index)
    if let bytes = retained.removeValue(forKey: index) { count(-bytes, of: slots[index].client) }
  }

  /// Closes the writing direction after all bytes are written, and lets the connection linger until
  /// the client has read them.
  private func shutDown(_ index: Int, _ socket: StreamSocket) {
    slots[index].connection.lingers()
    socket.shutDown()
    endStream(index)
    if slots[index].clientHasEnded { close(index) } else { lingering.touch(index, at: now) }
  }

  /// Releases the stream; the connection can continue to linger.
  private func endStream(_ index: Int) {
    guard let stream = slots[index].stream else { return }
    slots[index].stream = nil
    for group in memberships.leave(index) { group.remove(loop) }
    stream.closed()
    ledger.release(.streams, of: slots[index].account.take())
    openStreams.leave()
  }

  /// Drops what a client sends on a stream.
  ///
  /// More than 64 KiB during the stream closes the connection. After the end of the stream the
  /// input is only limited by the linger time.
  private func dropInput(_ index: Int) {
    guard let socket = slots[index].socket else { return }
    slots[index].hasInput = false
    switch socket.drop() {
    case .bytes(let count): countDropped(count, index)
    case .more(let count):
      countDropped(count, index)
      slots[index].hasInput = true
      enqueue(index)
    case .end: return clientEnds(index)
    case .broken: return close(index)
    }
    if slots[index].connection.isStreaming, slots[index].dropped == .max { close(index) }
  }

  private func countDropped(_ count: Int, _ index: Int) {
    slots[index].dropped = UInt16(clamping: Int(slots[index].dropped) + count)
  }

  /// Handles that the client has closed its direction.
  ///
  /// Closes the connection of an open stream, or of one whose end was sent. While the end is being
  /// written, the connection stays open until all bytes are written.
  private func clientEnds(_ index: Int) {
    let connection = slots[index].connection
    if connection.isStreaming || connection.isLingering { return close(index) }
    slots[index].clientHasEnded = true
  }
}
