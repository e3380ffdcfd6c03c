internal import ReactorCore

/// The part of a module that depends neither on the types of its flow nor on those of its reactor.
///
/// Stacks refer to it, so that the code that finds and encodes screens is not generic.
@usableFromInline
final class ScreenKind: Sendable {
  let name: String
  let actionType: any ModuleValue.Type
  let mutationType: any ModuleValue.Type
  let stateType: any ModuleValue.Type

  /// The part of the screen in a path, or `nil` without one.
  let link: ScreenLink?

  @usableFromInline
  init(
    _ name: String, _ actionType: any ModuleValue.Type, _ mutationType: any ModuleValue.Type,
    _ stateType: any ModuleValue.Type, link: ScreenLink?
  ) {
    self.name = name
    self.actionType = actionType
    self.mutationType = mutationType
    self.stateType = stateType
    self.link = link
  }

  /// Returns whether both belong to the same module.
  ///
  /// `modules` can be a computed property that returns other objects at each access, so names are
  /// compared.
  @usableFromInline
  func isSame(as other: ScreenKind) -> Bool {
    self === other || name.hasSameBytes(as: other.name)
  }
}

/// A ``Link`` without the type of the State.
@usableFromInline
struct ScreenLink: Sendable {
  let name: String

  /// The name in a path, as in `/drinks`.
  let part: [UInt8]

  /// Returns the text of a State, or `nil` for a link without one.
  let text: (@Sendable (any ModuleValue) -> String?)?

  /// Creates the first State of the screen with a text, or returns `nil` if there is no such screen.
  let state: @Sendable (String?) -> (any ModuleValue)?

  @usableFromInline
  init(
    name: String, text: (@Sendable (any ModuleValue) -> String?)?,
    state: @escaping @Sendable (String?) -> (any ModuleValue)?
  ) {
    self.name = name
    var part: [UInt8] = []
    FlowPath.append(name, to: &part)
    self.part = part
    self.text = text
    self.state = state
  }

  @inlinable
  init<State: ModuleValue>(_ link: Link<State>) {
    var text: (@Sendable (any ModuleValue) -> String?)?
    if let textOfState = link.text {
      text = { state in known(state, as: State.self).map { textOfState($0) } }
    }
    let makeState = link.state
    self.init(name: link.name, text: text, state: { makeState($0) })
  }
}

/// Returns a value of a module as a value of a type, or `nil` if it has another type.
///
/// Faster than `as?` alone, which looks the types up at run time.
@inlinable
func known<Value, Known>(_ value: Value, as type: Known.Type) -> Known? {
  // Proof: both types are the same.
  Value.self == Known.self ? unsafe unsafeBitCast(value, to: Known.self) : value as? Known
}
