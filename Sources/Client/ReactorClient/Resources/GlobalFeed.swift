internal import ClientCore
internal import ReactorCoding
internal import ReactorStreams
internal import Synchronization

/// The values of a global for one subscriber.
///
/// While the subscriber is busy with a value, only the latest of the following values is retained.
final class GlobalFeed<Value: Decodable & Sendable>: Sendable {
  private struct Contents: Sendable {
    /// The latest value that is not decoded.
    var pending: [UInt8]?
    /// The problem that ends the stream, after the pending value.
    var end: Problem?
    /// Whether a thread is delivering values.
    var isDelivering = false
  }

  private let contents = Mutex(Contents())
  private let observer: AnyObserver<Value>
  private let client: ClientLink

  init(_ observer: AnyObserver<Value>, _ client: ClientLink) {
    self.observer = observer
    self.client = client
  }

  /// Records an output of the feed's machine; on the client's queue.
  func receive(_ output: EventFeed.Output) {
    switch output {
    case .events(let events):
      guard let last = events.last(where: { ["message", "state"].contains($0.name) }) else {
        return
      }
      change { $0.pending = last.data }
    case .status(.ended(let problem)): change { $0.end = problem }
    case .status, .open, .close, .renewToken, .replaceCredential: break
    }
  }

  private func change(_ body: (inout Contents) -> Void) {
    let isFirst = contents.withLock { contents in
      body(&contents)
      defer { contents.isDelivering = true }
      return !contents.isDelivering
    }
    // Not on the client's queue: an observer may block.
    if isFirst { client.decoding.async { [self] in deliver() } }
  }

  private func deliver() {
    while true {
      let (pending, end) = contents.withLock { contents in
        let next = (contents.pending.take(), contents.end.take())
        if next.0 == nil, next.1 == nil { contents.isDelivering = false }
        return next
      }
      if let pending {
        do throws(Problem) {
          observer.on(.next(try decode(pending)))
        } catch {
          client.problems.on(.next(error))
        }
      }
      if let end { observer.on(.error(end)) }
      if pending == nil, end == nil { return }
    }
  }

  private func decode(_ data: [UInt8]) throws(Problem) -> Value {
    let response = TransportResponse(TransportHead(status: 200, fields: []), body: data)
    return try response.decode(Value.self)
  }
}
