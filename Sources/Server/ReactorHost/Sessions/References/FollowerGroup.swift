internal import ReactorLog
internal import Synchronization

/// The followers of one session: a commit schedules one notification of all of them.
///
/// A commit costs the same with one follower and with 10,000. Followers receive the latest State, so a
/// State that arrives during a notification replaces the one before.
final class FollowerGroup: SessionObserver {
  private struct Notification {
    let members: [SessionFollower]
    let latest: CommittedState?
    let end: SessionEnd?
  }

  private struct State {
    var members: [ObjectIdentifier: SessionFollower] = [:]
    var latest: CommittedState?
    var end: SessionEnd?
    /// Whether a task notifies the members.
    var isScheduled = false

    mutating func schedule() -> Bool {
      defer { isScheduled = true }
      return !isScheduled
    }

    mutating func takeNotification() -> Notification? {
      guard latest != nil || end != nil else {
        isScheduled = false
        return nil
      }
      defer {
        latest = nil
        if end != nil { (members, end) = ([:], nil) }
      }
      return Notification(members: Array(members.values), latest: latest, end: end)
    }
  }

  private let state = Mutex(State())

  /// Adds a follower; the first one begins the observation of the session.
  ///
  /// - Returns: The State before the first one that it receives, or that State, or `nil` if the session has
  ///   ended.
  func add(_ follower: SessionFollower, to session: LiveSession) -> CommittedState? {
    // The lock is held during the call, so that the group is an observer exactly while it has members.
    state.withLock { state -> CommittedState? in
      guard !session.hasEnded else { return nil }
      if state.members.isEmpty, session.observe(self, retains: true) == nil { return nil }
      state.members[ObjectIdentifier(follower)] = follower
      return session.current
    }
  }

  /// Removes a follower; the last one ends the observation of the session.
  func remove(_ follower: SessionFollower, from session: LiveSession) {
    state.withLock { state in
      guard state.members.removeValue(forKey: ObjectIdentifier(follower)) != nil,
        state.members.isEmpty
      else { return }
      session.stopObserving(self)
    }
  }

  func sessionDidCommit(_ committed: CommittedState) {
    let isFirst = state.withLock { state in
      state.latest = committed
      return state.schedule()
    }
    if isFirst { Task { notify() } }
  }

  func sessionDidEnd(_ end: SessionEnd) {
    let isFirst = state.withLock { state in
      state.end = end
      return state.schedule()
    }
    if isFirst { Task { notify() } }
  }

  private func notify() {
    while let notification = state.withLock({ $0.takeNotification() }) {
      for member in notification.members {
        if let latest = notification.latest { member.sessionDidCommit(latest) }
        if let end = notification.end { member.sessionDidEnd(end) }
      }
    }
  }
}
