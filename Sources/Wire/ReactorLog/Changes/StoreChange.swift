internal import Synchronization

/// One commit of a store, in the order of commits.
public struct StoreChange: Equatable, Sendable {
  /// The kind of a commit.
  public enum Kind: Equatable, Sendable {
    /// A session has a new history; a fork has the history of another session up to a version.
    case began(forkedFrom: Origin?)

    /// The mutations after a version were committed, up to the version of the cursor.
    case changed(from: Int)

    /// A session has ended. The cursor is the last position of its history.
    case ended

    /// A global was set.
    case global(name: String)

    /// The store has a row that no change can be read from. The name of the row is for the log: it may be
    /// that of a session that a reader must not read. The other members of the change are empty.
    case damaged(name: String)
  }

  /// The origin of a fork.
  public struct Origin: Equatable, Sendable {
    /// The id of the other session of the reactor.
    public let session: String

    /// The last version that was copied.
    public let version: Int

    /// Creates an origin.
    public init(session: String, version: Int) {
      self.session = session
      self.version = version
    }
  }

  /// The position in the order of commits; greater than those of earlier changes.
  public let number: Int

  /// The kind of change.
  public let kind: Kind

  /// The session, or `nil` for a global and for a damaged row.
  public let key: SessionKey?

  /// The position in the history of the session or global after the change.
  public let cursor: Cursor

  /// The time of the change.
  public let at: Timestamp

  /// The principal that caused it, or `nil` for none.
  public let by: String?

  /// Creates a change.
  public init(
    number: Int, kind: Kind, key: SessionKey?, cursor: Cursor, at: Timestamp, by: String? = nil
  ) {
    self.number = number
    self.kind = kind
    self.key = key
    self.cursor = cursor
    self.at = at
    self.by = by
  }
}

/// The name of a position in the changes of a store: `{store}.{number}`.
public struct ChangeID: Hashable, Sendable, CustomStringConvertible {
  /// The name of the feed, which differs from store to store.
  public let store: String

  /// The number of the last change before the position.
  public let number: Int

  /// Creates an id.
  public init(store: String, number: Int) {
    self.store = store
    self.number = number
  }

  /// Parses an id, or returns `nil` for any text that is not the description of one.
  public init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count <= 64, let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > 0 else {
      return nil
    }
    let digits = bytes[(dot + 1)...]
    let isDigit: (UInt8) -> Bool = { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let isLetter: (UInt8) -> Bool = { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    guard !digits.isEmpty, digits.allSatisfy(isDigit),
      digits.count == 1 || digits.first != UInt8(ascii: "0"),
      bytes[..<dot].allSatisfy({ isDigit($0) || isLetter($0) }),
      let number = Int(String(decoding: digits, as: UTF8.self))
    else { return nil }
    store = String(decoding: bytes[..<dot], as: UTF8.self)
    self.number = number
  }

  /// The id in the form that clients use.
  public var description: String { "\(store).\(number)" }
}

/// The retained changes of a store, in the order of commits, which is the same for all readers.
///
/// Every change of a session, in order and without a gap, is between the change that began its
/// history and the one that ended it.
public protocol ChangeFeed: AnyObject, Sendable {
  /// The name of the feed. It is replaced if changes were committed that the feed does not contain.
  var store: String { get }

  /// The number of the latest published change; 0 for none. Any thread, without blocking.
  var latest: Int { get }

  /// Returns the number of the latest committed change, also of one that another process has committed and this
  /// one has not published yet. May block on the disk.
  func latestCommitted() throws(LogError) -> Int

  /// Returns the number before the oldest retained change. May block on the disk.
  func floor() throws(LogError) -> Int

  /// Returns the changes after a number, in order, at most `limit`. May block on the disk.
  ///
  /// The result begins with the oldest retained change if earlier ones are no longer retained.
  func changes(after number: Int, limit: Int) throws(LogError) -> [StoreChange]

  /// Adds an observer, which is called after ``latest`` has grown.
  func observe(_ observer: any ChangeObserver)

  /// Removes an observer.
  func stopObserving(_ observer: any ChangeObserver)
}

extension ChangeFeed {
  /// The latest published change: that of a log to which only this process writes.
  public func latestCommitted() throws(LogError) -> Int { latest }
}

/// Observes that changes were committed.
public protocol ChangeObserver: AnyObject, Sendable {
  /// Changes were committed and published. Any thread; must not block.
  func changesDidCommit()
}

/// The observers of a feed and its latest published number.
public final class ChangePublisher: Sendable {
  private let number: Atomic<Int>
  private let observers = Mutex<[any ChangeObserver]>([])

  /// Creates a publisher at a number.
  public init(latest: Int = 0) {
    number = Atomic(latest)
  }

  /// The number of the latest published change.
  public var latest: Int { number.load(ordering: .acquiring) }

  /// Notifies the observers if a number is greater than the latest one.
  public func publish(_ latest: Int) {
    guard number.max(latest, ordering: .acquiringAndReleasing).oldValue < latest else { return }
    for observer in observers.withLock({ $0 }) { observer.changesDidCommit() }
  }

  /// Adds an observer.
  public func add(_ observer: any ChangeObserver) {
    observers.withLock { $0.append(observer) }
  }

  /// Removes an observer.
  public func remove(_ observer: any ChangeObserver) {
    observers.withLock { observers in
      if let index = observers.firstIndex(where: { $0 === observer }) {
        observers.remove(at: index)
      }
    }
  }
}
