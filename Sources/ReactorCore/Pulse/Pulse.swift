internal import Synchronization

/// A value of a state of which each assignment counts, even that of an equal value: a message to be
/// shown once, a screen to be opened.
///
/// ```swift
/// struct State: Codable {
///   @Pulse var alert: String?
/// }
///
/// reactor.pulse(\.$alert).compactMap { $0 }.subscribe(onNext: { show($0) })
/// ```
///
/// Two pulses are equal when their values are, and in JSON a pulse is its bare value: how often it was
/// assigned is known where the reactor runs, and nowhere else.
@propertyWrapper
public struct Pulse<Value> {
  /// The value.
  ///
  /// Setting it, or changing it in place, is one assignment.
  public var wrappedValue: Value {
    didSet {
      valueUpdatedCount &+= 1
      assignment = PulseAssignment.next()
    }
  }

  /// How often the value was assigned; after the largest number comes 0.
  ///
  /// A state that is set back to an earlier one also gets its counts back, so this does not tell two
  /// assignments apart; ``ReactorProtocol/pulse(_:)`` does.
  public package(set) var valueUpdatedCount: UInt = 0

  /// The assignment that made this value, which no other one in the process equals; 0 for the value
  /// that the pulse began with.
  var assignment: UInt64 = 0

  /// Makes a pulse that was not assigned yet.
  public init(wrappedValue: Value) {
    self.wrappedValue = wrappedValue
  }

  /// The value, as ``wrappedValue``.
  public var value: Value {
    get { wrappedValue }
    set { wrappedValue = newValue }
  }

  /// The pulse itself: `$alert` of a property `alert`.
  public var projectedValue: Pulse<Value> {
    self
  }
}

extension Pulse: Sendable where Value: Sendable {}

extension Pulse: Equatable where Value: Equatable {
  /// Compares the values.
  public static func == (lhs: Pulse, rhs: Pulse) -> Bool {
    lhs.wrappedValue == rhs.wrappedValue
  }
}

extension Pulse: Hashable where Value: Hashable {
  /// Hashes the value.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(wrappedValue)
  }
}

extension Pulse: CustomReflectable {
  /// The value's parts.
  public var customMirror: Mirror {
    Mirror(reflecting: wrappedValue)
  }
}

/// Numbers the assignments of a process.
///
/// A count that is kept in the state goes back with the state: `var state = initialState` and one
/// assignment would look like the assignment before. A number that is drawn never comes again.
private enum PulseAssignment {
  private static let last = Atomic<UInt64>(0)

  static func next() -> UInt64 {
    last.wrappingAdd(1, ordering: .relaxed).newValue
  }
}
