internal import Synchronization

/// A value of a state whose assignments are events: a message to show once, a screen to open.
///
/// The assignment of an equal value is an event as well.
///
/// ```swift
/// struct State: Codable {
///   @Pulse var alert: String?
/// }
///
/// reactor.pulse(\.$alert).compactMap { $0 }.subscribe(onNext: { show($0) })
/// ```
///
/// Two pulses are equal if their values are equal. In JSON a pulse is its value: assignments exist
/// only in the process of the reactor.
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

  /// The number of assignments; it wraps around to 0.
  ///
  /// Do not use it to detect an assignment: a state that is reset to an earlier state has the
  /// earlier number. ``ReactorProtocol/pulse(_:)`` detects each assignment.
  public package(set) var valueUpdatedCount: UInt = 0

  /// The number of the assignment that set this value, unique in the process; 0 for the initial
  /// value.
  var assignment: UInt64 = 0

  /// Creates a pulse with its initial value.
  public init(wrappedValue: Value) {
    self.wrappedValue = wrappedValue
  }

  /// The value; the same as ``wrappedValue``.
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
  /// The mirror of the value.
  public var customMirror: Mirror {
    Mirror(reflecting: wrappedValue)
  }
}

/// Numbers the assignments of a process.
///
/// A count in the state is reset with the state: after `var state = initialState`, an assignment
/// could have the same number as the previous one. A global number is unique.
private enum PulseAssignment {
  private static let last = Atomic<UInt64>(0)

  static func next() -> UInt64 {
    last.wrappingAdd(1, ordering: .relaxed).newValue
  }
}
