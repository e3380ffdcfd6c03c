internal import ReactorLog
internal import ReactorHost

extension EventChannels {
  /// Called with a subscription and the client's first output.
  typealias SubscriptionCompletion = @Sendable ((Subscription, StreamOpening)?) -> Void

  /// Creates a client's subscription and decides what the client is sent first.
  ///
  /// - Parameters:
  ///   - source: The session or global.
  ///   - wanted: The parameters of the request.
  ///   - view: The view of this source.
  ///   - owner: The owner of the stream.
  ///   - client: The client, whose reads of the log take turns with those of others.
  ///   - position: The client's position.
  ///   - completion: Called immediately, or later on any thread if the log must be read; with `nil`
  ///     if too many reads of the client wait.
  func subscribe(
    to source: any StateSource, _ wanted: StreamRequest, in view: StreamView, by owner: StreamOwner,
    of client: WorkerPool.Owner, from position: StreamPosition,
    completion: @escaping SubscriptionCompletion
  ) {
    let channel = join(source, view, of: client)
    let revision = source.changeStreams(of: owner, by: 1)
    // Read the State after joining, so that every later version is in the channel.
    let current = source.current
    let resumed = position.version(of: current)
    let notices = notices(wanted.notices, of: source, from: revision)
    var opening = StreamOpening()
    if wanted.notices.contains(.activity) {
      opening.activity = notices?.takeActivity() ?? ActivityChannel.Update.none
    }
    opening.isReset = position != .beginning && resumed == nil
    opening.isCurrent = resumed == current.version
    let pending = PendingSubscription(
      channels: self, channel: channel, owner: owner, client: client, notices: notices,
      current: current, resumed: resumed, opening: opening)
    guard wanted.wantsEveryVersion else {
      return pending.beginWithLatest(everyVersion: false, completion)
    }
    let isEnqueued = reads.enqueueIfRoom(for: client) { [background] end in
      background.enqueue(for: client) {
        source.replay(after: resumed) { replay in
          end()
          pending.begin(with: replay, completion)
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

/// A subscription that has joined its channels, while the log is read for its opening.
private struct PendingSubscription: Sendable {
  let channels: EventChannels
  let channel: EventChannel
  let owner: StreamOwner
  let client: WorkerPool.Owner
  let notices: StreamNotices?
  /// The State when the channel was joined.
  let current: CommittedState
  /// The version that the client has; `nil` for none.
  let resumed: Int?
  var opening: StreamOpening

  private var view: StreamView { channel.view }

  /// Begins with the versions after that of the client, or with a reset and the latest State if
  /// they cannot be read.
  func begin(
    with replay: Result<any StateReplay, HistoryError>,
    _ completion: @escaping EventChannels.SubscriptionCompletion
  ) {
    if case .success(let replay) = replay { return begin(with: replay, completion) }
    var pending = self
    (pending.opening.isReset, pending.opening.isCurrent) = (true, false)
    pending.beginWithLatest(everyVersion: true, completion)
  }

  /// Leaves the channels.
  func reject(_ completion: EventChannels.SubscriptionCompletion) {
    subscription(seen: current.version, shown: nil, everyVersion: true).close()
    completion(nil)
  }

  private func subscription(
    seen: Int, shown: ArraySlice<UInt8>?, everyVersion: Bool, replay: (any StateReplay)? = nil
  ) -> Subscription {
    Subscription(
      channel, of: channels, by: owner, client: client, seen: seen, shown: shown,
      everyVersion: everyVersion, replay: replay, notices: notices)
  }

  private func begin(
    with replay: any StateReplay, _ completion: EventChannels.SubscriptionCompletion
  ) {
    var opening = opening
    if opening.isReset { opening.removal = view.removal }
    let subscription = subscription(
      seen: resumed ?? -1,
      shown: opening.isCurrent && !view.isPlain ? view.json(of: current) : nil,
      everyVersion: true, replay: replay)
    completion((subscription, opening))
  }

  /// Begins with the latest State.
  func beginWithLatest(
    everyVersion: Bool, _ completion: @escaping EventChannels.SubscriptionCompletion
  ) {
    let json = view.json(of: current)
    @Sendable func finish(_ event: StreamEvent?) {
      var opening = opening
      if opening.isReset { opening.removal = view.removal }
      opening.event = event
      let subscription = subscription(
        seen: current.version, shown: json, everyVersion: everyVersion)
      completion((subscription, opening))
    }
    if opening.isCurrent { return finish(nil) }
    let whole = channel.whole(current.cursor, json)
    guard view.sendsDifferences, !opening.isReset, let resumed else { return finish(whole) }
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
            channel.catchUp(from: resumed, to: current.cursor, json, before: { before }) ?? whole)
        }
      }
    }
  }
}
