/// The types with which clients use a reactor, in the same process or remotely.
///
/// Every reactor conforms to this protocol. A client of a hosted reactor that does not have the
/// reactor's code declares only the interface:
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
