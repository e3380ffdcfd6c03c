public import ReactorStreams

/// A reactor with mutations that follow from other mutations.
///
/// ```swift
/// final class TimerReactor: Reactor, FollowingReactor {
///   func follow(_ mutation: Mutation) -> Observable<Mutation> {
///     if case .tick = mutation, currentState.secondsLeft == 0 { .just(.stop) } else { .empty() }
///   }
/// }
/// ```
///
/// A mutation and those that follow from it synchronously belong to one turn, so that a log contains
/// all of them or none.
public protocol FollowingReactor<Action, Mutation, State>: ReactorProtocol {
  /// Returns the mutations that follow from a mutation that was just reduced.
  ///
  /// Called in the serial context, after observers were notified of the state; `currentState`
  /// includes the mutation. It is not called while a log is replayed.
  ///
  /// - The mutations have the cause of the original mutation: they belong to the same action, and
  ///   the action fails if the returned stream fails. Mutations that were reduced before the error
  ///   remain in effect.
  /// - Mutations that the stream emits synchronously are reduced before any other work. `follow` is
  ///   called for each of them before the next one is reduced, so the order is depth first.
  ///   ``FollowLimitError`` bounds their number.
  /// - `transform(mutation:)` does not receive them.
  func follow(_ mutation: Mutation) -> Observable<Mutation>

  /// Binds the parts of the reactor that refer to it, such as the router of a flow.
  ///
  /// Called in the serial context before the reactor's streams are connected, once. By default it
  /// does nothing.
  func bindParts()
}

extension FollowingReactor {
  /// Does nothing.
  public func bindParts() {}
}

/// The error of an action that causes too many following mutations in one turn, usually an endless
/// loop in ``FollowingReactor/follow(_:)``.
public struct FollowLimitError: Error, Equatable, CustomStringConvertible {
  /// The maximum number of following mutations in one turn.
  public static let limit = 1_000

  /// The maximum depth of streams that follow from each other's mutations synchronously.
  ///
  /// Streams that are lists of elements do not count.
  public static let depthLimit = 100

  /// Creates the error.
  public init() {}

  /// The limits and how to resolve the error.
  public var description: String {
    """
    A turn has more than \(Self.limit) following mutations, or more than \(Self.depthLimit) streams \
    inside each other. End the loop in follow(_:), or continue it in a later turn.
    """
  }
}
