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

  let selection: Selection
  private let latest = LatestUpdate<SessionUpdate>()
  /// The decoder's own value; only the thread that delivers uses it.
  private let last = Mutex<JSONValue?>(nil)
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
    case .state where selection != .nothing: put(update)
    case .notice("presence", _) where selection == .nothing: put(update)
    case .ended(let problem): end(problem)
    case .state, .notice, .activity, .failed: break
    }
  }

  func receive(_ status: ConnectionStatus) {
    if case .ended(let problem) = status { end(problem) }
  }

  func sent(_ id: UInt64) {}

  private func put(_ update: SessionUpdate) {
    if latest.put(update) { begin() }
  }

  private func end(_ problem: Problem) {
    if latest.end(problem) { begin() }
  }

  private func begin() {
    // Not on the client's queue: an observer may block.
    client.decoding.async { [self] in deliver() }
  }

  private func deliver() {
    while let (update, problem) = latest.take() {
      if let update {
        var known = last.withLock { $0 }
        do throws(Problem) {
          if let value = try decode(update, &known) { observer.on(.next(value)) }
        } catch {
          client.problems.on(.next(error))
        }
        last.withLock { [known] in $0 = known }
      }
      if let problem { observer.on(.error(problem)) }
    }
  }
}
