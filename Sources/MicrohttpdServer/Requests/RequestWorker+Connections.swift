internal import Glibc
internal import ReactorHTTP
internal import Synchronization

extension RequestWorker {
  /// libmicrohttpd has taken a connection; returns its place.
  func connectionOpened(_ connection: Connection) -> Int {
    let index = freeSlots.popLast() ?? slots.count
    if index == slots.count { slots.append(ConnectionSlot()) }
    slots[index].connection = connection
    slots[index].socket = connection.socket
    slots[index].peer = arriving?.peer
    slots[index].permit = arriving?.permit
    arriving = nil
    deadlines.enter(.opened, index)
    return index
  }

  /// libmicrohttpd is about to close its descriptor of a connection.
  func connectionClosed(_ index: Int) {
    guard slots.indices.contains(index), slots[index].connection != nil else { return }
    slots[index] = ConnectionSlot()
    deadlines.remove(index)
    freeSlots.append(index)
    core.giveRoomBack()
  }

  /// libmicrohttpd has read a request line.
  ///
  /// The first one of a connection prolongs nothing: its time counts from the beginning.
  func requestLineArrived(_ index: Int) {
    deadlines.enter(.receivingHead, from: .idle, index)
  }

  /// Holds a connection until its exchange is answered.
  func suspend(_ exchange: Exchange, _ index: Int) {
    slots[index].suspended = exchange
    slots[index].connection?.suspend()
  }

  /// Lets a connection go on whose exchange was answered.
  func resume(_ exchange: Exchange) {
    let index = exchange.slot
    // It may have been resumed before this message was read, because the server stops.
    guard slots[index].suspended === exchange else { return }
    slots[index].suspended = nil
    slots[index].connection?.resume()
  }

  /// Answers for whoever waits, and lets nobody begin to wait.
  func abandonAll() {
    abandonsWaiting = true
    for slot in slots {
      guard let exchange = slot.suspended else { continue }
      exchange.abandon()
      resume(exchange)
    }
  }

  /// Ends the connections that took too long.
  ///
  /// libmicrohttpd has no call for that; it closes a connection whose socket hangs up.
  func closeOverdue() {
    deadlines.endTurn(at: now)
    while let (index, phase) = deadlines.takeOverdue(at: now) {
      let socket = slots[index].socket
      switch phase {
      case .idle, .responding: break
      case .receiving:
        // Nothing else is being written: libmicrohttpd still reads.
        let head = ResponseHead(status: 408, headers: HTTPFields(), framing: .length(0))
        _ = StreamSocket(socket).write(OwedBytes(head.bytes[...]))
        core.overdue.add(1, ordering: .relaxed)
      case .opened, .receivingHead, .sending: core.overdue.add(1, ordering: .relaxed)
      }
      _ = shutdown(socket, Int32(SHUT_RDWR))
    }
  }
}
