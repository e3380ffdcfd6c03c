#if canImport(Combine)
  public import Combine
  public import ReactorStreams
  internal import Synchronization

  extension ReactorStreams.Observable {
    /// A publisher of the elements.
    ///
    /// Each subscriber subscribes to the stream. While a subscriber requests no elements, only the latest
    /// one is retained for it.
    public var publisher: StreamPublisher<Element> { StreamPublisher(stream: self) }
  }

  /// The elements of a stream for Combine, on the threads of the stream.
  public struct StreamPublisher<Output: Sendable>: Publisher {
    /// The error of the stream.
    public typealias Failure = any Error

    let stream: ReactorStreams.Observable<Output>

    /// Subscribes to the stream.
    public func receive<Target: Subscriber>(subscriber: Target)
    where Target.Input == Output, Target.Failure == Failure {
      let subscription = StreamSubscription(subscriber)
      subscriber.receive(subscription: subscription)
      subscription.begin(stream)
    }
  }

  private final class StreamSubscription<Input: Sendable>: Combine.Subscription,
    // Proof: the mutex guards all variable state, and Combine permits calls of a subscriber on any thread,
    // one at a time: `deliver` makes them while `isDelivering` is true.
    @unchecked Sendable
  {
    private struct State: Sendable {
      var demand = Subscribers.Demand.none
      var latest: Input?
      var end: Subscribers.Completion<any Error>?
      var isDelivering = false
      var isCancelled = false
      var disposable: (any Disposable)?
    }

    private let target: any Subscriber<Input, any Error>
    private let state = Mutex(State())

    init(_ target: any Subscriber<Input, any Error>) {
      self.target = target
    }

    func begin(_ stream: ReactorStreams.Observable<Input>) {
      let disposable = stream.subscribe(
        onNext: { value in self.change { $0.latest = value } },
        onError: { error in self.change { $0.end = .failure(error) } },
        onCompleted: { self.change { $0.end = .finished } })
      let isCancelled = state.withLock { state in
        if !state.isCancelled { state.disposable = disposable }
        return state.isCancelled
      }
      if isCancelled { disposable.dispose() }
    }

    func request(_ demand: Subscribers.Demand) {
      change { $0.demand += demand }
    }

    func cancel() {
      let disposable = state.withLock { state in
        state.isCancelled = true
        state.latest = nil
        return state.disposable.take()
      }
      disposable?.dispose()
    }

    private func change(_ body: (inout State) -> Void) {
      let isFirst = state.withLock { state in
        body(&state)
        defer { state.isDelivering = true }
        return !state.isDelivering
      }
      if isFirst { deliver() }
    }

    private func deliver() {
      while true {
        let (value, end) = state.withLock { state -> (Input?, Subscribers.Completion<any Error>?) in
          guard !state.isCancelled else {
            state.isDelivering = false
            return (nil, nil)
          }
          if state.latest != nil, state.demand > 0 {
            state.demand -= 1
            return (state.latest.take(), nil)
          }
          let end = state.latest == nil ? state.end.take() : nil
          state.isDelivering = end != nil
          return (nil, end)
        }
        if let value {
          let more = target.receive(value)
          state.withLock { $0.demand += more }
        } else if let end {
          target.receive(completion: end)
          return cancel()
        } else {
          return
        }
      }
    }
  }
#endif
