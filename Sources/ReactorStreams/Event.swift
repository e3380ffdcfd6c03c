/// One thing that happens in a stream: elements, then at most one end.
///
/// The grammar is `next* (error | completed)?`; nothing follows an error or a completion.
public enum Event<Element: Sendable>: Sendable {
  /// The stream emitted an element.
  case next(Element)

  /// The stream ended because something failed.
  case error(any Error)

  /// The stream ended.
  case completed

  /// Whether this event ends its stream.
  @inlinable
  public var isStopEvent: Bool {
    switch self {
    case .next: false
    case .error, .completed: true
    }
  }
}
