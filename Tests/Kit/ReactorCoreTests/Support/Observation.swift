import ReactorStreams

/// Records the events of a stream for as long as it lives.
final class Observation<Element: Sendable>: Sendable {
  private let elementsSeen = Recorder<Element>()
  private let endsSeen = Recorder<String>()
  private let subscription = SerialDisposable()

  init(_ stream: Observable<Element>) {
    let (elementsSeen, endsSeen) = (elementsSeen, endsSeen)
    subscription.disposable = stream.subscribe(
      onNext: { elementsSeen.add($0) }, onError: { _ in endsSeen.add("failed") },
      onCompleted: { endsSeen.add("completed") })
  }

  deinit {
    subscription.dispose()
  }

  var elements: [Element] { elementsSeen.values }

  /// The terminal event of the stream; empty before it.
  var ends: [String] { endsSeen.values }

  func stop() {
    subscription.dispose()
  }
}
