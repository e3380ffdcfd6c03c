internal import ReactorLog
internal import ReactorHost

extension EventChannels {
  /// Called with a subscription and the client's first output.
  typealias SubscriptionCompletion = @Sendable ((EventSubscription, StreamOpening)?) -> Void

  /// Creates a client's subscription and decides what the client is sent first.
  ///
  /// - Parameters:
  ///   - source: The session or global.
  ///   - wanted: The parameters of the request.
  ///   - view: The view of this source.
  ///   - owner: The owner of the stream.
  ///   - client: The client, whose background work takes turns with that of others.
  ///   - position: The client's position.
  ///   - history: The earlier States as the client sees them, or `nil` if all clients see the same.
  ///   - resets: Whether the client begins again, with the latest State.
  ///   - completion: Called immediately, or later on any thread if the log must be read or a large
  ///     State encoded; with `nil` if too much work of the client waits.
  func subscribe(
    to source: any StateSource, _ wanted: StreamRequest, in view: StreamView, by owner: StreamOwner,
    of client: WorkOwner, from position: StreamPosition, history: ViewerHistory? = nil,
    resets: Bool = false, completion: @escaping SubscriptionCompletion
  ) {
    let channel = join(source, view, of: client)
    var position = position.resumable(in: source, view)
    let known = position.version(of: source.current)
    // A client of a projected session may have seen another view at its position: it gets the whole view, and
    // no difference to what it had.
    let beginsAgain =
      view.isProjected && known != nil
      && (!wanted.wantsEveryVersion || known == source.current.version)
    if beginsAgain { position = .beginning }
    let revision = source.changeStreams(of: owner, by: 1)
    let notices = notices(wanted.notices, of: source, from: revision)
    let activity =
      wanted.notices.contains(.activity)
      ? notices?.takeActivity() ?? ActivityChannel.Update.none : nil
    let pending = PendingSubscription(
      channels: self, channel: channel, owner: owner, client: client, notices: notices,
      activity: activity, position: position, history: history, mustReset: resets)
    guard wanted.wantsEveryVersion, !resets, !beginsAgain else {
      return pending.beginWithLatest(everyVersion: wanted.wantsEveryVersion, completion)
    }
    let resumed = known
    let replay = history.map { $0.replay } ?? source.replay
    let isEnqueued = reads.enqueueIfRoom(for: client) { [background] end in
      background.enqueue(for: client) {
        replay(resumed) { replay in
          end()
          pending.begin(with: replay, after: resumed, completion)
        }
      }
    }
    guard isEnqueued else { return pending.reject(completion) }
  }

  /// Joins the channels of the requested events other than States; returns `nil` if none were
  /// requested, and for a global.
  private func notices(
    _ kinds: StreamNotices.Kinds, of source: any StateSource, from revision: Int
  ) -> StreamNotices? {
    guard !kinds.isEmpty, let session = source as? any SessionSource else { return nil }
    return StreamNotices(kinds, of: session, from: revision, in: self)
  }
}

/// A subscription that has joined its channels, while its opening is created.
///
/// It reads the State when it creates the opening: every later version is in the channel, and a
/// subscription that waits retains no State.
private struct PendingSubscription: Sendable {
  let channels: EventChannels
  let channel: EventChannel
  let owner: StreamOwner
  let client: WorkOwner
  let notices: StreamNotices?
  /// The activity of effects for the opening.
  let activity: ActivityChannel.Update?
  let position: StreamPosition
  /// The earlier States as the client sees them, or `nil` if all clients see the same.
  let history: ViewerHistory?
  /// Whether the versions after the client's position cannot be read.
  var mustReset = false

  private var view: StreamView { channel.view }

  /// Begins with the versions after that of the client, or with a reset and the latest State if
  /// they cannot be read.
  ///
  /// While the log is not available, a reset would skip versions that can be read later: the stream
  /// reads the log again, and ends if that fails, so that the client reconnects.
  func begin(
    with replay: Result<any StateReplay, HistoryError>, after resumed: Int?,
    _ completion: @escaping EventChannels.SubscriptionCompletion
  ) {
    switch replay {
    case .success(let replay): begin(with: replay, after: resumed, completion)
    case .failure(.log(.unavailable)), .failure(.log(.lost)):
      begin(with: nil, after: resumed, completion)
    case .failure:
      var pending = self
      pending.mustReset = true
      pending.beginWithLatest(everyVersion: true, completion)
    }
  }

  /// Leaves the channels.
  func reject(_ completion: EventChannels.SubscriptionCompletion) {
    subscription(seen: channel.source.current.version, shown: nil, everyVersion: true).close()
    completion(nil)
  }

  private func subscription(
    seen: Int, shown: ArraySlice<UInt8>?, everyVersion: Bool, replay: (any StateReplay)? = nil
  ) -> EventSubscription {
    EventSubscription(
      channel, of: channels, by: owner, client: client, seen: seen, shown: shown,
      everyVersion: everyVersion, replay: replay, history: history, notices: notices)
  }

  /// Returns the opening without its event, for a client that resumes after a version, or that has
  /// none.
  private func opening(after resumed: Int?, at current: CommittedState) -> StreamOpening {
    var opening = StreamOpening()
    opening.activity = activity
    opening.isReset = mustReset || (position != .beginning && resumed == nil)
    opening.isCurrent = resumed == current.version
    if opening.isReset { opening.removal = view.removal }
    return opening
  }

  /// Begins after the version of the client; without a replay, the subscription creates one.
  private func begin(
    with replay: (any StateReplay)?, after resumed: Int?,
    _ completion: EventChannels.SubscriptionCompletion
  ) {
    let current = channel.source.current
    let opening = opening(after: resumed, at: current)
    let subscription = subscription(
      seen: resumed ?? -1,
      shown: opening.isCurrent && !view.isPlain ? view.json(of: current) : nil,
      everyVersion: true, replay: replay)
    completion((subscription, opening))
  }

  /// Begins with the latest State, which is encoded in the worker pool if that takes long.
  func beginWithLatest(
    everyVersion: Bool, _ completion: @escaping EventChannels.SubscriptionCompletion
  ) {
    let current = channel.source.current
    guard takesLong(current) else {
      return begin(with: current, everyVersion: everyVersion, completion)
    }
    let isEnqueued = channels.background.enqueueIfRoom(for: client) {
      begin(with: channel.source.current, everyVersion: everyVersion, completion)
    }
    if !isEnqueued { reject(completion) }
  }

  /// The version after which the client resumes, or `nil` if it begins with a whole State.
  private func resumed(at current: CommittedState) -> Int? {
    mustReset ? nil : position.version(of: current)
  }

  /// Whether the opening has a large State, or a part of one, with which no other stream has begun.
  private func takesLong(_ current: CommittedState) -> Bool {
    isLarge(current) && view.sendsStates
      && (view.pointer != nil || resumed(at: current) != current.version)
      && known(at: current) == nil
  }

  private func isLarge(_ current: CommittedState) -> Bool {
    current.json.count > EventChannel.smallSize
  }

  /// The event with a large State, if it exists.
  private func known(at current: CommittedState) -> StreamEvent? {
    isLarge(current) ? channel.knownWhole(at: current.cursor) : nil
  }

  private func begin(
    with current: CommittedState, everyVersion: Bool,
    _ completion: @escaping EventChannels.SubscriptionCompletion
  ) {
    let resumed = resumed(at: current)
    let known = known(at: current)
    let json = known?.shown ?? view.json(of: current)
    @Sendable func whole() -> StreamEvent { known ?? channel.whole(current.cursor, json) }
    @Sendable func finish(_ event: StreamEvent?) {
      var opening = opening(after: resumed, at: current)
      opening.event = event
      let subscription = subscription(
        seen: current.version, shown: json, everyVersion: everyVersion)
      completion((subscription, opening))
    }
    if resumed == current.version || !view.sendsStates { return finish(nil) }
    guard view.sendsDifferences, let resumed else { return finish(whole()) }
    // Send the difference to the client's version, if the State at that version can be read.
    if let patch = channel.catchUp(from: resumed, to: current.cursor, json, before: { nil }) {
      return finish(patch)
    }
    channels.reads.enqueue(for: client) { [self] end in
      channels.background.enqueue(for: client) {
        channel.source.state(at: resumed) { state in
          end()
          let before = (try? state.get()).map(view.json)
          finish(
            channel.catchUp(from: resumed, to: current.cursor, json, before: { before }) ?? whole())
        }
      }
    }
  }
}
