/// The part of a screen in the path of a stack: a name, or a name and one text of the State.
///
/// ```swift
/// Link("help") { HelpReactor.State() }                  // /help
/// Link("drinks", \.name) { .init(name: $0) }            // /drinks/Latte
/// ```
public struct Link<State: Sendable>: Sendable {
  @usableFromInline let name: String
  @usableFromInline let text: (@Sendable (State) -> String)?
  @usableFromInline let state: @Sendable (String?) -> State?

  /// A part without a text.
  ///
  /// - Parameters:
  ///   - name: The part: letters, digits and `. _ ~ -`.
  ///   - state: Creates the first State of the screen.
  public init(_ name: String, state: @escaping @Sendable () -> State) {
    self.name = name
    text = nil
    self.state = { _ in state() }
  }

  /// A part with a text.
  ///
  /// The two functions must be inverse for texts: the text of `state(text)` is `text`. The host checks
  /// that at its start for the initial State of the module.
  ///
  /// - Parameters:
  ///   - name: The part before the text: letters, digits and `. _ ~ -`.
  ///   - text: Returns the text of a State, which can be empty and can contain any characters.
  ///   - state: Creates the first State of the screen with a text, or returns `nil` if there is no such
  ///     screen.
  public init(
    _ name: String, _ text: @escaping @Sendable (State) -> String,
    state: @escaping @Sendable (String) -> State?
  ) {
    self.name = name
    self.text = text
    self.state = { $0.flatMap(state) }
  }
}
