internal import Synchronization

/// A set of disposables that are disposed of together.
///
/// A member that is added after the disposal is disposed of immediately.
public final class CompositeDisposable: Cancelable {
  /// Identifies a member for its removal.
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

  /// Creates a set.
  public convenience init(_ disposables: any Disposable...) {
    self.init(disposables)
  }

  /// Creates a set.
  public convenience init(disposables: [any Disposable]) {
    self.init(disposables)
  }

  /// Creates a set.
  public init(_ disposables: [any Disposable] = []) {
    var members = Members()
    for disposable in disposables { _ = members.add(disposable) }
    self.members = Mutex(members)
  }

  /// Whether the set was disposed of.
  public var isDisposed: Bool {
    members.withLock { $0.isDisposed }
  }

  /// The number of members.
  public var count: Int {
    members.withLock { $0.byNumber.count }
  }

  /// Adds a member.
  ///
  /// - Returns: The key of the member, or `nil` if the set was disposed of. In that case the member is
  ///   disposed of immediately.
  @discardableResult
  public func insert(_ disposable: any Disposable) -> Key? {
    let key = members.withLock { $0.isDisposed ? nil : $0.add(disposable) }
    if key == nil { disposable.dispose() }
    return key
  }

  /// Removes a member and disposes of it.
  public func remove(for key: Key) {
    members.withLock { $0.byNumber.removeValue(forKey: key.number) }?.dispose()
  }

  /// Disposes of all members, in the order of their insertion.
  public func dispose() {
    let removed = members.withLock { members in
      defer {
        members.isDisposed = true
        members.byNumber = [:]
      }
      return members.byNumber
    }
    for (_, disposable) in removed.sorted(by: { $0.key < $1.key }) { disposable.dispose() }
  }
}
