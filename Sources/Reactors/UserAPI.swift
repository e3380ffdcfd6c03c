internal import ReactorCore
public import ReactorStreams
internal import Synchronization

/// Somebody who can be signed in.
public struct User: Codable, Equatable, Sendable {
  /// What people call them.
  public var name: String

  /// Makes a user.
  public init(name: String) {
    self.name = name
  }
}

/// Stands for a service in the network: it knows who is followed, and takes a moment to say so.
public final class UserAPI: Sendable {
  private let followed = Mutex<Set<Int>>([])
  private let latency: Duration

  /// Makes a service whose answers take a while.
  public init(latency: Duration = .milliseconds(20)) {
    self.latency = latency
  }

  /// Whether a user is followed.
  public func isFollowing(_ userID: Int) -> Observable<Bool> {
    answer(userID) { [self] in followed.withLock { $0.contains(userID) } }
  }

  /// Follows a user.
  public func follow(_ userID: Int) -> Observable<Void> {
    answer(userID) { [self] in followed.withLock { _ = $0.insert(userID) } }
  }

  private func answer<Value: Sendable>(
    _ userID: Int, _ work: @escaping @Sendable () -> Value
  ) -> Observable<Value> {
    guard userID >= 1 else { return .error(NoSuchUser(id: userID)) }
    return .run { [latency] send in
      try await Task.sleep(for: latency)
      send(work())
    }
  }
}

private struct NoSuchUser: ActionError {
  let id: Int

  var status: Int { 404 }
  var title: String { "No such user" }
  var detail: String? { "There is no user with the number \(id); they begin with 1." }
}
