internal import Synchronization

/// Ends its members when it goes away.
public final class DisposeBag: Sendable {
  private let members = CompositeDisposable()
  private let companion = Mutex<(any AnyObject & Sendable)?>(nil)

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

  /// An object that goes with the bag, made when it is first asked for: a place for one more thing
  /// on an instance that has a bag.
  package func companion<Companion: AnyObject & Sendable>(
    orMake make: () -> Companion
  ) -> Companion {
    companion.withLock { companion in
      if let kept = companion as? Companion { return kept }
      let made = make()
      companion = made
      return made
    }
  }

  deinit {
    members.dispose()
  }
}
