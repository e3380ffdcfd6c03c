public import ReactorStreams

/// Indicates whether any of the streams that it tracks is running.
///
/// ```swift
/// let loading = ActivityIndicator()
///
/// api.follow(userID).trackActivity(loading).map { Mutation.setFollowing($0) }
///
/// loading.asDriver().drive(spinner.rx.isAnimating)
/// ```
public final class ActivityIndicator: ObservableConvertibleType {
  /// Whether a stream is running.
  public typealias Element = Bool

  private final class Contents: Sendable {
    let running = BehaviorRelay(value: 0)

    func change(by difference: Int) {
      running.accept(running.value + difference)
    }
  }

  private let contents = Contents()
  private let changes: Mailbox<Int, Contents>
  private let loading: Driver<Bool>

  /// Creates an indicator.
  public init() {
    changes = Mailbox(contents)
    loading = contents.running.asDriver().map { $0 > 0 }.distinctUntilChanged()
  }

  /// Returns a stream of whether a tracked stream is running: the current value first, then each
  /// change.
  public func asObservable() -> Observable<Bool> {
    loading.asObservable()
  }

  /// Returns a `Driver` of whether a tracked stream is running.
  public func asDriver() -> Driver<Bool> {
    loading
  }

  fileprivate func change(by difference: Int) {
    changes.post(difference) { $0.change(by: $1) }
  }
}

extension ObservableConvertibleType {
  /// Tracks the subscriptions to this stream with an indicator, which the stream retains.
  public func trackActivity(_ activityIndicator: ActivityIndicator) -> Observable<Element> {
    asObservable().do(
      onSubscribe: { activityIndicator.change(by: 1) },
      onDispose: { activityIndicator.change(by: -1) })
  }
}
