internal import ReactorLog
internal import ReactorHost

extension EventChannels {
  /// A subscription and the client's first output.
  typealias Opened = (EventSubscription, StreamOpening)

  /// Creates a client's subscription and decides what the client is sent first.
  ///
  /// Suspends only if the log must be read or a large State encoded.
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
  /// - Returns: The subscription, or `nil` if too much work of the client waits.
  func subscribe(
    to source: any StateSource, _ wanted: StreamRequest, in view: StreamView, by owner: StreamOwner,
    of client: WorkOwner, from position: StreamPosition, history: ViewerHistory? = nil,
    resets: Bool = false
  ) async -> Opened? {
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
      return await pending.beginWithLatest(everyVersion: wanted.wantsEveryVersion)
    }
    return await pending.begin(after: known)
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
  func begin(after resumed: Int?) async -> EventChannels.Opened? {
    guard client.takePlace() else { return reject() }
    do throws(HistoryError) {
      let replay = try await read { () throws(HistoryError) in
        client.returnPlace()
        return try await channel.source.replay(after: resumed, as: history)
      }
      return begin(with: replay, after: resumed)
    } catch .log(.unavailable), .log(.lost) {
      return begin(with: nil, after: resumed)
    } catch {
      var pending = self
      pending.mustReset = true
      return await pending.beginWithLatest(everyVersion: true)
    }
  }

  /// Reads from the log, in turn with the reads of other clients.
  private func read<Value, Failure>(
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    await channels.background.takeTurn(for: client)
    return try await channels.reads.execute(for: client, body)
  }

  /// Leaves the channels.
  private func reject() -> EventChannels.Opened? {
    subscription(seen: channel.source.current.version, shown: nil, everyVersion: true).close()
    return nil
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
    with replay: (any StateReplay)?, after resumed: Int?
  ) -> EventChannels.Opened {
    let current = channel.source.current
    let opening = opening(after: resumed, at: current)
    let subscription = subscription(
      seen: resumed ?? -1,
      shown: opening.isCurrent && !view.isPlain ? view.json(of: current) : nil,
      everyVersion: true, replay: replay)
    return (subscription, opening)
  }

  /// Begins with the latest State, which is encoded in the worker pool if that takes long.
  func beginWithLatest(everyVersion: Bool) async -> EventChannels.Opened? {
    if takesLong(channel.source.current) {
      guard client.takePlace() else { return reject() }
      await channels.background.takeTurn(for: client)
      client.returnPlace()
    }
    let current = channel.source.current
    let resumed = resumed(at: current)
    let known = known(at: current)
    let json = known?.shown ?? view.json(of: current)
    var opening = opening(after: resumed, at: current)
    if resumed != current.version, view.sendsStates {
      // Send the difference to the client's version, if the State at that version can be read.
      opening.event = await difference(from: resumed, to: current.cursor, json)
      opening.event = opening.event ?? known ?? channel.whole(current.cursor, json)
    }
    let subscription = subscription(
      seen: current.version, shown: json, everyVersion: everyVersion)
    return (subscription, opening)
  }

  private func difference(
    from version: Int?, to current: Cursor, _ json: ArraySlice<UInt8>
  ) async -> StreamEvent? {
    guard view.sendsDifferences, let version else { return nil }
    if let known = channel.catchUp(from: version, to: current, json, before: { nil }) {
      return known
    }
    let before = await read { try? await channel.source.state(at: version) }
    return channel.catchUp(from: version, to: current, json, before: { before.map(view.json) })
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
}

extension StateSource {
  /// Begins to read the states after a version as a client sees them; without a history, all clients see the same.
  func replay(
    after version: Int?, as history: ViewerHistory?
  ) async throws(HistoryError) -> any StateReplay {
    guard let history else { return try await replay(after: version) }
    return try await history.replay(after: version)
  }
}
