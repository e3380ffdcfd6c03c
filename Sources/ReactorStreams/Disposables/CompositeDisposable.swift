internal import Synchronization

/// A set of disposables that end together; what comes later ends at once.
public final class CompositeDisposable: Cancelable {
  /// Names a member, so that it can be taken out again.
  public struct Key: Hashable, Sendable {
    fileprivate let number: UInt64
  }

  private struct Members {
    var isDisposed = false
    var next: UInt64 = 0
    var byNumber: [UInt64: any Disposable] = [:]

    mutating func add(_ disposable: any Disposable) -> Key {
      defer { next += 1 }
      byNumber[next] = disposable
      return Key(number: next)
    }
  }

  private let members: Mutex<Members>

  /// Makes a set with these members.
  public convenience init(disposables: [any Disposable]) {
    self.init(disposables)
  }

  /// Makes a set with these members.
  public init(_ disposables: [any Disposable] = []) {
    var members = Members()
    for disposable in disposables { _ = members.add(disposable) }
    self.members = Mutex(members)
  }

  /// Whether the set has ended.
  public var isDisposed: Bool {
    members.withLock { $0.isDisposed }
  }

  /// How many members the set has.
  public var count: Int {
    members.withLock { $0.byNumber.count }
  }

  /// Adds a member.
  ///
  /// - Returns: Its key, or `nil` where the set has ended, and so has the member now.
  @discardableResult
  public func insert(_ disposable: any Disposable) -> Key? {
    let key = members.withLock { $0.isDisposed ? nil : $0.add(disposable) }
    if key == nil { disposable.dispose() }
    return key
  }

  /// Takes a member out and ends it.
  public func remove(for key: Key) {
    members.withLock { $0.byNumber.removeValue(forKey: key.number) }?.dispose()
  }

  /// Ends every member, in the order they were added.
  public func dispose() {
    let ended = members.withLock { members in
      defer {
        members.isDisposed = true
        members.byNumber = [:]
      }
      return members.byNumber
    }
    for (_, disposable) in ended.sorted(by: { $0.key < $1.key }) { disposable.dispose() }
  }
}
