internal import ReactorCore
internal import ReactorHost
internal import ReactorLog

/// The changes of all sessions as one client sees them.
///
/// Of a projected session a client without the right `inspect` sees a change only if its view of the State has
/// changed, and if it still sees the session.
struct ChangeViews {
  /// A change as a client sees it.
  struct Part {
    /// The State after the change as the client sees it, or `nil` if there is none, or if it was not requested.
    let view: VisibleState?

    /// Whether the client sees the principal and the entries of every change.
    let isComplete: Bool

    fileprivate let principal: String?

    /// Whether the client sees that a principal caused the change: it sees itself.
    func shows(_ by: String) -> Bool {
      isComplete || principal?.utf8.elementsEqual(by.utf8) == true
    }
  }

  /// The number of changes of projected sessions that are read in sequence: each needs folds of the log.
  private static let bound = 32

  private let host: Host
  private let scope: RequestScope
  private let readsState: Bool
  private var count = 0

  init(host: Host, scope: RequestScope, readsState: Bool) {
    self.host = host
    self.scope = scope
    self.readsState = readsState
  }

  /// Whether the rest is left for the next page, so that other clients get their turn.
  var isExhausted: Bool { count >= Self.bound }

  /// Returns what the client sees of a change, or `nil` for nothing.
  mutating func part(of change: StoreChange) async throws(LogError) -> Part? {
    guard let key = change.key, let reactor = host.reactor(key.reactor) else {
      return Part(view: nil, isComplete: true, principal: nil)
    }
    let isComplete = scope.mayInspect(reactor, key.id)
    guard readsState || !isComplete else {
      return Part(view: nil, isComplete: true, principal: nil)
    }
    if !isComplete { count += 1 }
    let view = try await view(of: change, key, reactor)
    guard isComplete || view != nil else { return nil }
    return Part(view: view, isComplete: isComplete, principal: scope.context.principal?.id)
  }

  /// Returns the State after a change as the client sees it, or `nil` if it sees nothing of the change.
  private func view(
    of change: StoreChange, _ key: SessionKey, _ reactor: any HostedReactor
  ) async throws(LogError) -> VisibleState? {
    guard let json = try await host.state(after: change) else { return nil }
    let after = CommittedState(cursor: change.cursor, json: json)
    guard reactor.projector != nil else { return scope.view(of: after, in: reactor, key, nil) }
    guard let (current, parameters) = try await host.currentState(of: key),
      scope.view(of: current, in: reactor, key, parameters) != nil,
      let view = scope.view(of: after, in: reactor, key, parameters)
    else { return nil }
    guard !scope.mayInspect(reactor, key.id), case .changed(let from) = change.kind else {
      return view
    }
    let cursor = Cursor(epoch: change.cursor.epoch, version: from)
    guard let earlier = try await reactor.storedState(key.id, at: cursor) else { return view }
    let before = scope.view(
      of: CommittedState(cursor: cursor, json: earlier), in: reactor, key, parameters)
    return before?.json == view.json ? nil : view
  }
}
