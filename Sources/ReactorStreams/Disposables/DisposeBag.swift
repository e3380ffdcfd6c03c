/// Ends its members when it goes away.
public final class DisposeBag: Sendable {
  private let members = CompositeDisposable()

  /// Makes an empty bag.
  public init() {}

  /// Makes a bag with these members.
  public convenience init(disposing disposables: any Disposable...) {
    self.init()
    insert(disposables)
  }

  /// Adds a member.
  ///
  /// Any thread may call; one who does so while the bag goes away sees the member end at once.
  public func insert(_ disposable: any Disposable) {
    members.insert(disposable)
  }

  /// Adds members.
  public func insert(_ disposables: any Disposable...) {
    insert(disposables)
  }

  /// Adds members.
  public func insert(_ disposables: [any Disposable]) {
    for disposable in disposables { insert(disposable) }
  }

  deinit {
    members.dispose()
  }
}
