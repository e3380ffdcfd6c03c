internal import Synchronization

/// Handlers of stream errors that no subscriber handles.
public enum Hooks {
  /// Receives a call stack, which is always empty, and an error.
  public typealias DefaultErrorHandler =
    @Sendable (_ callStack: [String], _ error: any Error) -> Void

  private static let handler = Mutex<DefaultErrorHandler?>(nil)

  /// Called when a stream fails and its subscriber passed no `onError`.
  ///
  /// This includes bindings to closures. Without a handler the error is dropped. It never ends the
  /// process.
  public static var defaultErrorHandler: DefaultErrorHandler? {
    get { handler.withLock { $0 } }
    set { handler.withLock { $0 = newValue } }
  }

  @usableFromInline
  static func reportUnhandled(_ error: any Error) {
    defaultErrorHandler?([], error)
  }
}
