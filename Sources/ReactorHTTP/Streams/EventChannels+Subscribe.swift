internal import ReactorLog
internal import ReactorHost

extension EventChannels {
  /// Creates a client's subscription and decides what the client is sent first.
  func subscribe(
    to source: any StateSource, _ wanted: StreamRequest, in view: StreamView,
    from position: StreamPosition
  ) -> (Subscription, StreamOpening) {
    let channel = join(source, view)
    // Read after joining, so that every later version is in the channel.
    let current = source.current
    let resumed = position.version(of: current)
    let activity =
      wanted.wantsActivity ? (source as? any Session).map { joinActivity(of: $0) } : nil
    var opening = StreamOpening()
    if wanted.wantsActivity { opening.activity = activity?.latest ?? ActivityChannel.Update.none }
    let sentActivity = opening.activity?.number ?? 0
    opening.isReset = position != .beginning && resumed == nil
    opening.isCurrent = resumed == current.version

    if wanted.wantsEveryVersion, let replay = try? source.replay(after: resumed) {
      if opening.isReset { opening.removal = view.removal }
      let subscription = Subscription(
        channel, of: self, seen: resumed ?? -1,
        shown: opening.isCurrent && !view.isPlain ? view.json(of: current) : nil,
        everyVersion: true, replay: replay, activity: activity, sentActivity: sentActivity)
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
      channel, of: self, seen: current.version, shown: json,
      everyVersion: wanted.wantsEveryVersion, activity: activity, sentActivity: sentActivity)
    return (subscription, opening)
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
