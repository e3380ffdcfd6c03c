public import ReactorStreams

/// A change of a value.
public struct Change<Value> {
  /// The previous value, or `nil` for the first value, and if ``ChangeOptions/old`` was not requested.
  public let old: Value?

  /// The new value.
  public let new: Value

  /// Creates a change.
  public init(old: Value?, new: Value) {
    self.old = old
    self.new = new
  }
}

extension Change: Equatable where Value: Equatable {}
extension Change: Hashable where Value: Hashable {}
extension Change: Sendable where Value: Sendable {}

/// The content of a stream of changes, as in key-value observing.
public struct ChangeOptions: OptionSet, Sendable {
  /// The bits of the set.
  public let rawValue: Int

  /// Creates a set of options.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// The current value is emitted first, without an old value.
  public static let initial = ChangeOptions(rawValue: 1)

  /// Changes contain the previous value.
  public static let old = ChangeOptions(rawValue: 2)

  /// Changes contain the new value.
  ///
  /// They always do; the option has no effect.
  public static let new = ChangeOptions(rawValue: 4)
}

extension ObservableType {
  /// Returns the changes of a property: its value first, then one change for each value that
  /// differs from the previous value.
  ///
  /// ```swift
  /// reactor.state.changes(of: \.isFollowing)
  /// reactor.state.changes(of: \.isFollowing, options: [.new, .old])  // without the current value
  /// ```
  ///
  /// The `old` of each change is the `new` of the previous change.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - options: Whether the current value is emitted, and whether changes contain the old value.
  /// - Returns: The changes. Each subscription begins with the value that is current at the time,
  ///   and ends with this stream.
  public func changes<Value: Equatable & Sendable>(
    of keyPath: any KeyPath<Element, Value> & Sendable,
    options: ChangeOptions = [.initial, .old, .new]
  ) -> Observable<Change<Value>> {
    let changes = map { $0[keyPath: keyPath] }
      .distinctUntilChanged()
      .scan(into: Change<Value>?.none) { $0 = Change(old: $0?.new, new: $1) }
      .compactMap { $0 }
    let selected = options.contains(.initial) ? changes : changes.skip(1)
    return options.contains(.old) ? selected : selected.map { Change(old: nil, new: $0.new) }
  }
}
