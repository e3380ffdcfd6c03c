internal import ClientCore
internal import Dispatch
internal import SystemThreads

/// The loop of the thread of a transport.
final class TransferLoop {
  /// Requests of which a bounded number is sent at a time.
  private struct Lane {
    let bound: Int
    var active = 0
    var waiting: ArraySlice<Request> = []

    /// Removes and returns the next request that may be sent.
    mutating func next() -> Request? {
      guard active < bound, let request = waiting.popFirst() else { return nil }
      active += 1
      return request
    }
  }

  private struct Request {
    let request: TransportRequest
    let completion: @Sendable (Result<TransportResponse, Problem>) -> Void

    /// Calls the completion on a thread of Dispatch, so that it cannot delay the transfers.
    func complete(_ result: Result<TransportResponse, Problem>) {
      DispatchQueue.global(qos: .userInitiated).async { [completion] in completion(result) }
    }
  }

  private let mailbox: TransferMailbox
  private let transfers: Transfers
  private var quick: Lane
  private var held: Lane
  private var streams: [ObjectIdentifier: Transfer] = [:]
  private var lastUse = Clock.milliseconds

  let wake: TransferWake?

  init(_ mailbox: TransferMailbox) {
    self.mailbox = mailbox
    transfers = Transfers(
      to: mailbox.origin, limits: mailbox.limits.transfers, connections: mailbox.connections)
    wake = transfers.wake
    quick = Lane(bound: mailbox.connections)
    held = Lane(bound: mailbox.limits.held)
  }

  /// Executes commands and transfers until the transport is closed, or idle for long.
  func run() {
    let idle = mailbox.limits.idle.milliseconds
    while true {
      let (commands, isClosed) = mailbox.take()
      for command in commands { isClosed ? command.reject(.noResponse) : execute(command) }
      if isClosed { return close() }
      transfers.perform()
      // An ended request makes room for a waiting one, which `perform` must begin.
      guard !startWaiting() else { continue }
      let now = Clock.milliseconds
      if !transfers.isEmpty { lastUse = now }
      if transfers.isEmpty, now - lastUse >= idle, mailbox.end() { return }
      guard mailbox.sleep() else { continue }
      transfers.wait(milliseconds: transfers.isEmpty ? lastUse + idle - now : .max)
    }
  }

  private func close() {
    transfers.cancelAll()
    for request in quick.waiting + held.waiting { request.complete(.failure(.noResponse)) }
    while !mailbox.end() {
      for command in mailbox.take().commands { command.reject(.noResponse) }
    }
  }

  private func execute(_ command: TransferCommand) {
    switch command {
    case .send(let request, let completion):
      let request = Request(request: request, completion: completion)
      if request.request.timeout > mailbox.limits.shared {
        held.waiting.append(request)
      } else {
        quick.waiting.append(request)
      }
      _ = startWaiting()
    case .open(let request, let delivery): open(request, delivery)
    case .cancel(let delivery): streams[ObjectIdentifier(delivery)].map(transfers.cancel)
    case .resume(let delivery): streams[ObjectIdentifier(delivery)]?.resume()
    }
  }

  /// Starts the requests that may be sent; returns whether there were any.
  private func startWaiting() -> Bool {
    var hasStarted = false
    while let request = quick.next() {
      hasStarted = true
      send(request) { $0.quick.active -= 1 }
    }
    while let request = held.next() {
      hasStarted = true
      send(request) { $0.held.active -= 1 }
    }
    return hasStarted
  }

  private func send(_ request: Request, leave: @escaping (TransferLoop) -> Void) {
    var collector = ResponseCollector()
    do throws(ConnectionFailure) {
      _ = try transfers.start(request.request, .request) { [unowned self] event in
        let result = collector.receive(event)
        if case .end = event { leave(self) }
        guard let result else { return .more }
        request.complete(result)
        return .end
      }
    } catch {
      leave(self)
      request.complete(.failure(error.problem))
    }
  }

  private func open(_ request: TransportRequest, _ delivery: StreamDelivery) {
    let key = ObjectIdentifier(delivery)
    do throws(ConnectionFailure) {
      streams[key] = try transfers.start(request, .stream) { [unowned self] event in
        if case .end = event { streams[key] = nil }
        return delivery.offer(event)
      }
    } catch {
      delivery.offer(.end(error.problem))
    }
  }
}
