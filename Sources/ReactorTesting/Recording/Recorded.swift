public import ReactorStreams

/// Something and the tick at which it happened.
public struct Recorded<Value: Sendable>: Sendable {
  /// When it happened.
  public let time: TestTime

  /// What happened.
  public let value: Value

  /// Makes a record.
  public init(time: TestTime, value: Value) {
    self.time = time
    self.value = value
  }
}

extension Recorded: Equatable where Value: Equatable {}

extension Recorded: CustomStringConvertible {
  /// The value and its tick, as the tests of this package write it: `210:1`.
  public var description: String {
    "\(time):\(value)"
  }
}

extension Recorded {
  /// An element at a tick.
  public static func next<Element: Sendable>(
    _ time: TestTime, _ element: Element
  ) -> Recorded where Value == Event<Element> {
    Recorded(time: time, value: .next(element))
  }

  /// The completion at a tick.
  public static func completed<Element: Sendable>(
    _ time: TestTime, _ type: Element.Type = Element.self
  ) -> Recorded where Value == Event<Element> {
    Recorded(time: time, value: .completed)
  }

  /// A failure at a tick.
  public static func error<Element: Sendable>(
    _ time: TestTime, _ error: any Error = TestError.test, _ type: Element.Type = Element.self
  ) -> Recorded where Value == Event<Element> {
    Recorded(time: time, value: .error(error))
  }
}
