internal import ClientCore
internal import ReactorCoding
internal import ReactorStreams
internal import Synchronization

/// Passes a part of a session, or its presence, to one subscriber.
///
/// While the subscriber is busy with a value, only the latest of the following updates is retained.
final class PartFeed<Value: Sendable>: ChannelObserver {
  /// Returns the value of an update, or `nil` for an update without a new one; `last` is for its own use.
  typealias Decoder =
    @Sendable (_ update: SessionUpdate, _ last: inout JSONValue?) throws(Problem) -> Value?

  private struct Contents: Sendable {
    var pending: SessionUpdate?
    /// The problem that ends the stream, after the pending update.
    var end: Problem?
    /// Whether a thread is delivering values.
    var isDelivering = false
    var last: JSONValue?
  }

  let selection: Selection
  private let contents = Mutex(Contents())
  private let observer: AnyObserver<Value>
  private let client: ClientLink
  private let decode: Decoder

  init(
    _ observer: AnyObserver<Value>, _ client: ClientLink, _ selection: Selection,
    _ decode: @escaping Decoder
  ) {
    self.observer = observer
    self.client = client
    self.selection = selection
    self.decode = decode
  }

  func receive(_ update: SessionUpdate) {
    switch update {
    case .state where selection != .nothing: change { $0.pending = update }
    case .notice("presence", _) where selection == .nothing: change { $0.pending = update }
    case .ended(let problem): change { $0.end = problem }
    case .state, .notice, .activity, .failed: break
    }
  }

  func receive(_ status: ConnectionStatus) {
    if case .ended(let problem) = status { change { $0.end = problem } }
  }

  func sent(_ id: UInt64) {}

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
      let (pending, end, last) = contents.withLock { contents in
        let next = (contents.pending.take(), contents.end.take(), contents.last)
        if next.0 == nil, next.1 == nil { contents.isDelivering = false }
        return next
      }
      if let pending {
        var last = last
        do throws(Problem) {
          if let value = try decode(pending, &last) { observer.on(.next(value)) }
        } catch {
          client.problems.on(.next(error))
        }
        // One thread at a time delivers values.
        contents.withLock { $0.last = last }
      }
      if let end { observer.on(.error(end)) }
      if pending == nil, end == nil { return }
    }
  }
}
