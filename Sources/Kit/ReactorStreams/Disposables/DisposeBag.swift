internal import Synchronization

/// Disposes of its members when it is deallocated.
public final class DisposeBag: Sendable {
  private let members = CompositeDisposable()
  private let companion = Mutex<(any AnyObject & Sendable)?>(nil)

  /// Creates an empty bag.
  public init() {}

  /// Creates a bag with members.
  public convenience init(disposing disposables: any Disposable...) {
    self.init()
    insert(disposables)
  }

  /// Creates a bag with members.
  public convenience init(disposing disposables: [any Disposable]) {
    self.init()
    insert(disposables)
  }

  /// Creates a bag with the members that a builder lists.
  public convenience init(@DisposableBuilder builder: () -> [any Disposable]) {
    self.init(disposing: builder())
  }

  /// Adds the members that a builder lists.
  public func insert(@DisposableBuilder builder: () -> [any Disposable]) {
    insert(builder())
  }

  /// Adds a member.
  ///
  /// Any thread can call this. During the bag's deallocation the member is disposed of immediately.
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

  /// Returns an object with the lifetime of the bag, which the first call creates.
  ///
  /// The owner of the bag can use the object as storage.
  package func companion<Companion: AnyObject & Sendable>(
    orMake make: () -> Companion
  ) -> Companion {
    companion.withLock { companion in
      if let existing = companion as? Companion { return existing }
      let created = make()
      companion = created
      return created
    }
  }

  deinit {
    members.dispose()
  }

  /// Collects disposables that are listed one per line.
  @resultBuilder
  public enum DisposableBuilder {
    /// Collects the disposables of a block.
    public static func buildBlock(_ disposables: any Disposable...) -> [any Disposable] {
      disposables
    }
  }
}

extension Disposable {
  /// Adds this disposable to a bag, which disposes of it when the bag is deallocated.
  public func disposed(by bag: DisposeBag) {
    bag.insert(self)
  }
}
