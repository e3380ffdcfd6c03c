/// Ends its members when it goes away.
public final class DisposeBag: Sendable {
  private let members = CompositeDisposable()

  /// Makes an empty bag.
  public init() {}

  /// Adds a member.
  public func insert(_ disposable: any Disposable) {
    members.insert(disposable)
  }

  deinit {
    members.dispose()
  }
}
