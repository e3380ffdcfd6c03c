public import ReactorStreams
internal import Synchronization

extension ObservableType {
  /// Returns the stream that produces an event first: this stream or another one.
  ///
  /// The subscription to the other stream is disposed of.
  public func amb(_ right: some ObservableType<Element>) -> Observable<Element> {
    .amb([asObservable(), right.asObservable()])
  }

  /// Returns the stream, of several, that produces an event first.
  ///
  /// For an empty sequence, the result never emits.
  public static func amb(
    _ sequence: some Sequence<Observable<Element>>
  ) -> Observable<Element> {
    let sources = Array(sequence)
    return Observable { AmbSink($0, count: sources.count).attached(to: sources) }
  }
}

/// Forwards the events of the stream that produced an event first.
private final class AmbSink<Element: Sendable>: Disposable {
  private let output: SerialSink<Element>
  private let candidates: [SerialDisposable]
  private let winner = Mutex<Int?>(nil)

  init(_ downstream: any ObserverType<Element>, count: Int) {
    output = SerialSink(downstream)
    candidates = (0..<count).map { _ in SerialDisposable() }
    output.hold(Disposables.create(candidates))
  }

  func attached(to sources: [Observable<Element>]) -> any Disposable {
    for (index, source) in sources.enumerated() where mayWin(index) {
      candidates[index].disposable = source.attach(
        AnyObserver { [self] event in
          if wins(index) { output.on(event) }
        })
    }
    return output
  }

  func dispose() {
    output.dispose()
  }

  private func mayWin(_ index: Int) -> Bool {
    winner.withLock { $0 == nil || $0 == index }
  }

  /// Selects the stream if none is selected; returns whether its events are forwarded.
  private func wins(_ index: Int) -> Bool {
    let (isWinner, isDecided) = winner.withLock { winner -> (Bool, Bool) in
      if let winner { return (winner == index, true) }
      winner = index
      return (true, false)
    }
    if !isDecided {
      for (other, candidate) in candidates.enumerated() where other != index {
        candidate.dispose()
      }
    }
    return isWinner
  }
}
