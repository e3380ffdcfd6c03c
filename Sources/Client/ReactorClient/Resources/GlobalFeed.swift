internal import ClientCore
internal import ReactorCoding
internal import ReactorStreams

/// The values of a global for one subscriber.
///
/// While the subscriber is busy with a value, only the latest of the following values is retained.
final class GlobalFeed<Value: Decodable & Sendable>: Sendable {
  /// The latest value that is not decoded.
  private let latest = LatestUpdate<[UInt8]>()
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
      guard let data = events.last(where: { ["message", "state"].contains($0.name) })?.data else {
        return
      }
      if latest.put(data) { begin() }
    case .status(.ended(let problem)): if latest.end(problem) { begin() }
    case .status, .open, .close, .renewToken, .replaceCredential: break
    }
  }

  private func begin() {
    // Not on the client's queue: an observer may block.
    client.decoding.async { [self] in deliver() }
  }

  private func deliver() {
    while let (pending, end) = latest.take() {
      if let pending {
        do throws(Problem) {
          observer.on(.next(try decode(pending)))
        } catch {
          client.problems.on(.next(error))
        }
      }
      if let end { observer.on(.error(end)) }
    }
  }

  private func decode(_ data: [UInt8]) throws(Problem) -> Value {
    let response = TransportResponse(TransportHead(status: 200, fields: []), body: data)
    return try response.decode(Value.self)
  }
}
