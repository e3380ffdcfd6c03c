public import ReactorStreams

/// A value and the tick at which it was recorded.
public struct Recorded<Value: Sendable>: Sendable {
  /// The tick.
  public let time: TestTime

  /// The value.
  public let value: Value

  /// Creates a record.
  public init(time: TestTime, value: Value) {
    self.time = time
    self.value = value
  }
}

extension Recorded: Equatable where Value: Equatable {}

extension Recorded: CustomStringConvertible {
  /// The tick and the value: `210:1`.
  public var description: String {
    "\(time):\(value)"
  }
}

extension Recorded {
  /// Returns the record of an element at a tick.
  public static func next<Element: Sendable>(
    _ time: TestTime, _ element: Element
  ) -> Recorded where Value == Event<Element> {
    Recorded(time: time, value: .next(element))
  }

  /// Returns the record of the completion at a tick.
  public static func completed<Element: Sendable>(
    _ time: TestTime, _ type: Element.Type = Element.self
  ) -> Recorded where Value == Event<Element> {
    Recorded(time: time, value: .completed)
  }

  /// Returns the record of an error at a tick.
  public static func error<Element: Sendable>(
    _ time: TestTime, _ error: any Error = TestError.test, _ type: Element.Type = Element.self
  ) -> Recorded where Value == Event<Element> {
    Recorded(time: time, value: .error(error))
  }

  /// Returns the records.
  ///
  /// The compiler infers the type of the list from the arguments.
  public static func events<Element: Sendable>(
    _ recordedEvents: Recorded<Event<Element>>...
  ) -> [Recorded<Event<Element>>] where Value == Event<Element> {
    recordedEvents
  }

  /// Returns the records.
  ///
  /// The compiler infers the type of the list from the arguments.
  public static func events<Element: Sendable>(
    _ recordedEvents: [Recorded<Event<Element>>]
  ) -> [Recorded<Event<Element>>] where Value == Event<Element> {
    recordedEvents
  }
}
