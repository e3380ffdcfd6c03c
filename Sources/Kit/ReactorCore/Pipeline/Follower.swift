internal import ReactorStreams

/// The part of a pipeline that exists if its reactor is a ``FollowingReactor``.
///
/// It is accessed only in the pipeline's mailbox.
@usableFromInline
final class Follower<Action: Sendable, Mutation: Sendable, State: Sendable> {
  @usableFromInline typealias Following = any FollowingReactor<Action, Mutation, State>

  @usableFromInline let retained: Following?
  private weak var unretained: Following?

  /// The number of following mutations in this turn.
  @usableFromInline var count = 0
  private var depth = 0

  /// The mutations to reduce, in reverse order.
  ///
  /// Only streams that are lists of elements add mutations.
  private var pending: [Mutation] = []
  private var isReducing = false

  /// Creates the follower of a reactor, or returns `nil` if the reactor does not follow its mutations.
  @usableFromInline
  init?(of reactor: any ReactorProtocol<Action, Mutation, State>, retainsReactor: Bool) {
    // Check the type first: a failing cast of the object is slow, because it tries every bridging
    // conversion.
    guard type(of: reactor) is any FollowingReactor.Type, let following = reactor as? Following
    else {
      return nil
    }
    retained = retainsReactor ? following : nil
    unretained = retainsReactor ? nil : following
    following.bindParts()
  }

  @usableFromInline var followingIfAlive: Following? { unretained }

  /// Returns the stream that follows from a mutation.
  @inlinable
  func follow(_ mutation: Mutation) -> Observable<Mutation> {
    (retained ?? followingIfAlive)?.follow(mutation) ?? .empty()
  }

  /// Resets the count of mutations when a turn begins.
  @inlinable
  func beginTurn() {
    count = 0
  }

  /// Counts a mutation; returns whether it is within the limit.
  func admit() -> Bool {
    count += 1
    return count <= FollowLimitError.limit
  }

  /// Reduces mutations and those that follow from them, depth first and without recursion.
  ///
  /// - Returns: Whether all mutations were within the limit. If not, the rest was dropped.
  @usableFromInline
  func reduce(_ mutations: [Mutation], with body: (Mutation) -> Void) -> Bool {
    pending += mutations.reversed()
    guard !isReducing else { return true }
    isReducing = true
    defer { isReducing = false }
    while let mutation = pending.popLast() {
      guard admit() else {
        pending = []
        return false
      }
      body(mutation)
    }
    return true
  }

  /// Subscribes to a stream.
  ///
  /// Its synchronous mutations are reduced before the pending mutations.
  ///
  /// - Returns: Whether the depth is within the limit.
  func descend(_ subscribe: () -> Void) -> Bool {
    guard depth < FollowLimitError.depthLimit else { return false }
    let outer = (pending, isReducing)
    (pending, isReducing) = ([], false)
    depth += 1
    subscribe()
    depth -= 1
    (pending, isReducing) = outer
    return true
  }
}

extension PipelineContents {
  /// Reduces the mutations that follow from a mutation.
  @inlinable
  func follow(_ mutation: Mutation, _ follower: Follower<Action, Mutation, State>) {
    let following = follower.follow(mutation)
    let isWithinLimits =
      switch following.source {
      case .elements(let mutations):
        mutations.isEmpty || follower.reduce(mutations, with: mutationEmitted)
      case .just(let mutation): follower.reduce([mutation], with: mutationEmitted)
      case .forwarding, .producer: descend(into: following, follower)
      }
    if !isWithinLimits { endEffect(FollowLimitError()) }
  }

  @usableFromInline
  func descend(
    into following: Observable<Mutation>, _ follower: Follower<Action, Mutation, State>
  ) -> Bool {
    let effect: (any TrackedEffect)? = if case .effect(let effect) = origin { effect } else { nil }
    return follower.descend {
      effect?.begin()
      subscribe(to: following, as: effect, isFollowing: true)
    }
  }

  /// Ends the effect that has caused the current mutation with an error.
  @usableFromInline
  func endEffect(_ error: any Error) {
    guard case .effect(let effect?) = origin else { return reject(error) }
    let sinks = runningSinks.filter { $0.effect === effect }
    guard !sinks.isEmpty else { return reject(error) }
    for sink in sinks { receive(.error(error), from: sink) }
  }
}
