public import ReactorCore

/// The parts of the States of a reactor that its clients may see.
///
/// ```swift
/// ReactorRegistration(
///   "poker", summary: "A table",
///   projection: Projection { (viewer: Viewer, state: PokerReactor.State) -> Audience<Int?> in
///     if let seat = state.seats[viewer.id ?? ""] { return .sees(seat) }
///     return state.isPublic ? .sees(nil) : .nothing
///   } view: { state, seat in
///     PokerView(pot: state.pot, hand: seat.map { state.hands[$0] })
///   }
/// ) { PokerReactor() }
/// ```
///
/// The first closure maps a client and the State to an ``Audience``. It is called when a request reads, when a
/// stream opens, and after a commit, once per client with an open stream; also with the earlier States that a client
/// reads. The second one is pure. It makes the view of an audience, which clients receive instead of the State:
/// once per commit and audience with a stream. An error of either is the error of the client that reads, never of the
/// commit.
public struct Projection<State: Sendable, Key: Hashable & Sendable, View: Codable & Sendable>:
  StateProjection
{
  private let findAudience: @Sendable (Viewer, State) throws -> Audience<Key>
  private let makeView: @Sendable (State, Key) throws -> View
  private let hasSameBasis: @Sendable (State, State) -> Bool

  /// Creates a projection whose audiences are found again after every commit.
  ///
  /// - Parameters:
  ///   - audience: Returns the audience of a client.
  ///   - view: Returns what an audience sees of a State.
  public init(
    _ audience: @escaping @Sendable (_ viewer: Viewer, _ state: State) throws -> Audience<Key>,
    view: @escaping @Sendable (_ state: State, _ key: Key) throws -> View
  ) {
    findAudience = audience
    makeView = view
    hasSameBasis = { _, _ in false }
  }

  /// Creates a projection whose audiences depend on a part of the State.
  ///
  /// They are not found again after a commit that does not change the part.
  ///
  /// - Parameters:
  ///   - basis: The part of the State: the first closure must read no other one.
  ///   - audience: Returns the audience of a client.
  ///   - view: Returns what an audience sees of a State.
  public init<Basis: Equatable & Sendable>(
    dependsOn basis: @escaping @Sendable (State) -> Basis,
    _ audience: @escaping @Sendable (_ viewer: Viewer, _ state: State) throws -> Audience<Key>,
    view: @escaping @Sendable (_ state: State, _ key: Key) throws -> View
  ) {
    findAudience = audience
    makeView = view
    hasSameBasis = { basis($0) == basis($1) }
  }

  /// Returns the audience of a client.
  public func audience(of viewer: Viewer, in state: State) throws -> Audience<Key> {
    try findAudience(viewer, state)
  }

  /// Returns what an audience sees of a State.
  public func view(of state: State, for key: Key) throws -> View {
    try makeView(state, key)
  }

  // MARK: StateProjection

  /// The type of the views.
  public var viewType: any (Codable & Sendable).Type { View.self }

  /// Returns the key of a client's audience, or `nil` if the client sees nothing.
  public func audienceKey(of viewer: Viewer, in state: State) throws -> AudienceKey? {
    switch try findAudience(viewer, state) {
    case .sees(let key): AudienceKey(key)
    case .nothing: nil
    }
  }

  /// Returns what an audience sees of a State.
  public func anyView(of state: State, for audience: AudienceKey) throws -> any Codable & Sendable {
    guard let key = audience.value(as: Key.self) else { throw ForeignAudience() }
    return try makeView(state, key)
  }

  /// Returns whether every client has the same audience in two States.
  public func keepsAudiences(from old: State, to new: State) -> Bool {
    hasSameBasis(old, new)
  }
}

/// A key that is of another projection.
private struct ForeignAudience: Error {}

/// A ``Projection``, for code that does not know the types of its audiences and views.
public protocol StateProjection<State>: Sendable {
  /// The State of the reactor.
  associatedtype State: Sendable

  /// The type of the views.
  var viewType: any (Codable & Sendable).Type { get }

  /// Returns the key of a client's audience, or `nil` if the client sees nothing.
  ///
  /// - Parameters:
  ///   - viewer: The client.
  ///   - state: A committed State of the session.
  /// - Returns: The key.
  /// - Throws: The error of the projection.
  func audienceKey(of viewer: Viewer, in state: State) throws -> AudienceKey?

  /// Returns what an audience sees of a State.
  ///
  /// - Parameters:
  ///   - state: The State.
  ///   - audience: The key.
  /// - Returns: The view.
  /// - Throws: The error of the projection.
  func anyView(of state: State, for audience: AudienceKey) throws -> any Codable & Sendable

  /// Returns whether every client has the same audience in two States.
  func keepsAudiences(from old: State, to new: State) -> Bool
}

/// A reactor that declares its projection, for its registration and for tests.
///
/// ```swift
/// ReactorRegistration("poker", summary: "A table", projection: PokerReactor.projection) { PokerReactor() }
/// ```
public protocol ProjectedReactor: Reactor {
  /// The keys of the audiences.
  associatedtype Audiences: Hashable & Sendable

  /// The value that clients receive instead of the State.
  associatedtype View: Codable & Sendable

  /// The audiences and their views.
  static var projection: Projection<State, Audiences, View> { get }
}
