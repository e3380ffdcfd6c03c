/// Actions that clients cannot send: those of timers, of other sessions and of the reactor itself.
///
/// Declare them as an enum of their own, inside of a case of `Action`:
///
/// ```swift
/// enum Action: Codable {
///   case bid(amount: Int)
///   case own(Own)
///
///   enum Own: InternalAction { case close, setVisitors([String]) }
/// }
/// ```
///
/// `schedule(.own(.close), …)` and `reference.send(.own(.close))` are written like for any other action. A
/// case whose only value is an `InternalAction` is absent from the schema of the actions, from `types.ts`
/// and from forms, and a client that sends it gets 403 `internal-action`. A new case of the enum is
/// internal as well.
public protocol InternalAction: Codable, Sendable {}
