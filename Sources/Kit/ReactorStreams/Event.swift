/// An event of a stream: elements, followed by at most one stop event.
///
/// The grammar is `next* (error | completed)?`.
public enum Event<Element: Sendable>: Sendable, EventConvertible {
  /// The stream emitted an element.
  case next(Element)

  /// The stream failed.
  case error(any Error)

  /// The stream completed.
  case completed
}

extension Event {
  /// This event.
  @inlinable
  public var event: Event<Element> {
    self
  }

  /// Whether this event ends its stream.
  @inlinable
  public var isStopEvent: Bool {
    switch self {
    case .next: false
    case .error, .completed: true
    }
  }

  /// The element of a `next` event.
  @inlinable
  public var element: Element? {
    if case .next(let element) = self { element } else { nil }
  }

  /// The error of an `error` event.
  @inlinable
  public var error: (any Error)? {
    if case .error(let error) = self { error } else { nil }
  }

  /// Whether this event is `completed`.
  @inlinable
  public var isCompleted: Bool {
    if case .completed = self { true } else { false }
  }

  /// Returns this event with its element transformed; an `error` event if the closure throws.
  @inlinable
  public func map<Result: Sendable>(_ transform: (Element) throws -> Result) -> Event<Result> {
    do {
      switch self {
      case .next(let element): return .next(try transform(element))
      case .error(let error): return .error(error)
      case .completed: return .completed
      }
    } catch {
      return .error(error)
    }
  }
}

extension Event: CustomDebugStringConvertible {
  /// The case and its value: `next(1)`, `error(…)`, `completed`.
  public var debugDescription: String {
    switch self {
    case .next(let element): "next(\(element))"
    case .error(let error): "error(\(error))"
    case .completed: "completed"
    }
  }
}

/// A type that converts to an ``Event``: the type of the elements in
/// ``ObservableType/dematerialize()``.
public protocol EventConvertible<Element>: Sendable {
  /// The element type of the event.
  associatedtype Element: Sendable

  /// The event.
  var event: Event<Element> { get }
}
