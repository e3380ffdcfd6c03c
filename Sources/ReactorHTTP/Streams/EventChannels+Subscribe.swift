internal import ReactorLog
internal import ReactorHost

extension EventChannels {
  /// Creates a client's subscription and decides what the client is sent first.
  ///
  /// - Parameters:
  ///   - source: The session or global.
  ///   - wanted: The parameters of the request.
  ///   - view: The view of this source.
  ///   - owner: The owner of the stream.
  ///   - position: The client's position.
  /// - Returns: The subscription, and the first output.
  func subscribe(
    to source: any StateSource, _ wanted: StreamRequest, in view: StreamView, by owner: StreamOwner,
    from position: StreamPosition
  ) -> (Subscription, StreamOpening) {
    let channel = join(source, view)
    let revision = source.changeStreams(of: owner, by: 1)
    // Read after joining, so that every later version is in the channel.
    let current = source.current
    let resumed = position.version(of: current)
    let notices = notices(wanted.notices, of: source, from: revision)
    var opening = StreamOpening()
    if wanted.notices.contains(.activity) {
      opening.activity = notices?.takeActivity() ?? ActivityChannel.Update.none
    }
    opening.isReset = position != .beginning && resumed == nil
    opening.isCurrent = resumed == current.version

    if wanted.wantsEveryVersion, let replay = try? source.replay(after: resumed) {
      if opening.isReset { opening.removal = view.removal }
      let subscription = Subscription(
        channel, of: self, by: owner, seen: resumed ?? -1,
        shown: opening.isCurrent && !view.isPlain ? view.json(of: current) : nil,
        everyVersion: true, replay: replay, notices: notices)
      return (subscription, opening)
    }
    if wanted.wantsEveryVersion {
      // Retention removed versions after the cursor: the client has to begin again.
      (opening.isReset, opening.isCurrent) = (true, false)
    }
    if opening.isReset { opening.removal = view.removal }
    let json = view.json(of: current)
    if !opening.isCurrent {
      opening.event = first(
        current.cursor, json, in: channel, after: opening.isReset ? nil : resumed)
    }
    let subscription = Subscription(
      channel, of: self, by: owner, seen: current.version, shown: json,
      everyVersion: wanted.wantsEveryVersion, notices: notices)
    return (subscription, opening)
  }

  /// The events other than States; `nil` if none were requested, or for a global.
  private func notices(
    _ kinds: StreamNotices.Kinds, of source: any StateSource, from revision: Int
  ) -> StreamNotices? {
    guard !kinds.isEmpty, let session = source as? any Session else { return nil }
    return StreamNotices(kinds, of: session, from: revision, in: self)
  }

  /// The first event of a stream: the difference to the client's version if the view sends differences
  /// and the version is known, else the whole State.
  private func first(
    _ cursor: Cursor, _ json: ArraySlice<UInt8>, in channel: EventChannel, after version: Int?
  ) -> StreamEvent {
    let view = channel.view
    if view.sendsDifferences, let version {
      let patch = channel.catchUp(from: version, to: cursor, json) {
        (try? channel.source.state(at: version)).map(view.json)
      }
      if let patch { return patch }
    }
    return view.whole(cursor, json, follows: cursor.version - 1)
  }
}
