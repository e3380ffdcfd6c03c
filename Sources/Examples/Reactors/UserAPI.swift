internal import ReactorCore
package import ReactorStreams
internal import Synchronization

/// A user that can sign in.
package struct User: Codable, Equatable, Sendable {
  /// The display name.
  package var name: String

  /// Creates a user.
  package init(name: String) {
    self.name = name
  }
}

/// A user service behind a simulated network: it stores which users are followed and responds with
/// a delay.
///
/// It stores at most 10,000 followed users; further ones are rejected with status 409.
package final class UserAPI: Sendable {
  /// The maximum number of followed users.
  static let limit = 10_000

  private let followed = Mutex<Set<Int>>([])
  private let latency: Duration

  /// Creates a service that responds after `latency`.
  package init(latency: Duration = .milliseconds(20)) {
    self.latency = latency
  }

  /// Returns whether a user is followed.
  package func isFollowing(_ userID: Int) -> Observable<Bool> {
    respond(userID) { [self] in followed.withLock { $0.contains(userID) } }
  }

  /// Follows a user.
  package func follow(_ userID: Int) -> Observable<Void> {
    respond(userID) { [self] in
      try followed.withLock { followed in
        guard followed.count < Self.limit || followed.contains(userID) else {
          throw TooManyFollowed()
        }
        followed.insert(userID)
      }
    }
  }

  private func respond<Value: Sendable>(
    _ userID: Int, _ work: @escaping @Sendable () throws -> Value
  ) -> Observable<Value> {
    guard userID >= 1 else { return .error(NoSuchUser(id: userID)) }
    return .run { [latency] send in
      try await Task.sleep(for: latency)
      send(try work())
    }
  }
}

private struct NoSuchUser: ActionError {
  let id: Int

  var status: Int { 404 }
  var title: String { "No such user" }
  var detail: String? { "There is no user with the number \(id); they begin with 1." }
}

private struct TooManyFollowed: ActionError {
  var status: Int { 409 }
  var title: String { "Too many users are followed" }
  var detail: String? { "At most \(UserAPI.limit) users are followed." }
}
