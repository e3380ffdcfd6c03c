/// The types by which a reactor is used, wherever it runs.
///
/// Every reactor satisfies it. A client of a hosted reactor that does not have the reactor's code
/// declares the interface alone:
///
/// ```swift
/// enum Counter: ReactorInterface {
///   enum Action: Codable { case increase, add(Int) }
///   struct State: Codable { var value = 0 }
/// }
/// ```
public protocol ReactorInterface<Action, State> {
  /// A request of a client.
  associatedtype Action: Sendable

  /// The value that clients observe.
  associatedtype State: Sendable
}
