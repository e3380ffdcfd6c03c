internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport
internal import Synchronization
internal import Telemetry

/// The clients with streams of one projected session, and a source per audience.
///
/// Follows the commits of the session. For each it first finds the audiences of the clients, and then makes and
/// publishes the view of each audience, so that no client gets anything of a commit that it may not see. Code of
/// the reactor is called without a lock, one commit at a time, on the publishing thread while it is cheap.
final class SessionViews: SessionObserver {
  fileprivate struct State {
    var pending: [CommittedState] = []
    var pendingBytes = 0
    var entries: [Viewer: (entry: ViewerEntry, streams: Int)] = [:]
    var sources: [AudienceKey: (source: AudienceSource, viewers: Int)] = [:]
    /// The latest State whose views are published.
    var latest: (any ProjectedState)?
    var end: SessionEnd?
  }

  /// Why a client cannot enter.
  enum Refusal: Error {
    case nothing, failed, tooManyAudiences
    /// The session has ended.
    case ended
  }

  /// States of up to this size are processed by the publishing thread, for a few clients.
  private static let smallSize = EventChannel.smallSize
  private static let fewViewers = 64

  let base: any SessionSource
  let projector: StateProjector
  let logger: Logger
  private let key: SessionKey
  private let background: WorkerPool
  private let bound: Int
  private let queue = SerialAsyncQueue()
  private let state = Mutex(State())

  init(
    _ base: any SessionSource, of key: SessionKey, _ projector: StateProjector, bound: Int,
    background: WorkerPool, logger: Logger
  ) {
    self.base = base
    self.key = key
    self.projector = projector
    self.bound = bound
    self.background = background
    self.logger = logger
  }

  /// Begins to observe the session.
  ///
  /// Called once, before the object is shared.
  func start() {
    state.withLock { state in
      if base.observe(self) == nil { state.end = .interrupted }
    }
  }

  func stop() { base.stopObserving(self) }

  // MARK: Clients

  /// Adds a stream of a client; returns the client's entry.
  func enter(_ viewer: Viewer) async throws(Refusal) -> ViewerEntry {
    try await withCheckedContinuation { continuation in
      enqueue(for: base.current) { [self] in
        // The client may have a cursor of the latest commit, which is about to be published.
        process(base.current)
        continuation.resume(returning: Result { () throws(Refusal) in try entered(viewer) })
      }
    }.get()
  }

  private func entered(_ viewer: Viewer) throws(Refusal) -> ViewerEntry {
    let (latest, known, hasEnded) = state.withLock { state in
      (state.latest, state.addStream(of: viewer), state.end != nil)
    }
    if let known { return known }
    guard !hasEnded else { throw .ended }
    guard let latest else { throw .failed }
    do {
      guard let audience = try latest.audience(of: viewer) else { throw Refusal.nothing }
      let entry = ViewerEntry(viewer, .sees(try source(of: audience, at: latest)))
      // Replaces one that sees nothing, whose streams end.
      state.withLock { $0.entries[viewer] = (entry, 1) }
      return entry
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      logger.projectionFailed(error, key, account: nil)
      throw .failed
    }
  }

  /// Removes a stream of a client.
  func leave(_ entry: ViewerEntry) {
    state.withLock { state in
      guard let known = state.entries[entry.viewer], known.entry === entry else { return }
      guard known.streams == 1 else {
        state.entries[entry.viewer]?.streams -= 1
        return
      }
      state.entries[entry.viewer] = nil
      state.release(entry.standing)
    }
  }

  /// Returns the source of an audience for a further client; creates it for the first one.
  ///
  /// Called for one client at a time.
  private func source(
    of audience: AudienceKey, at latest: any ProjectedState
  ) throws -> AudienceSource {
    let (known, count) = state.withLock { ($0.addViewer(of: audience), $0.sources.count) }
    if let known { return known }
    guard count < Limits.audiences else { throw Refusal.tooManyAudiences }
    let source = AudienceSource(audience, of: base, at: try latest.view(for: audience))
    state.withLock { $0.sources[audience] = (source, 1) }
    return source
  }

  // MARK: Commits

  func sessionDidCommit(_ committed: CommittedState) {
    guard state.withLock({ $0.add(committed, bound: bound) }) else { return }
    enqueue(for: committed) { [self] in
      for committed in state.withLock({ $0.takePending() }) { process(committed) }
    }
  }

  func sessionDidEnd(_ end: SessionEnd) {
    queue.enqueue { [self] done in
      for committed in state.withLock({ $0.takePending() }) { process(committed) }
      let sources = state.withLock { state in
        state.end = end
        return state.sources.values.map(\.source)
      }
      for source in sources { source.end(end) }
      done()
    }
  }

  /// Executes work after the earlier work: on this thread if it is cheap.
  private func enqueue(for committed: CommittedState, _ work: @escaping @Sendable () -> Void) {
    queue.enqueue { [self] done in
      let count = state.withLock { $0.entries.count + $0.sources.count }
      guard committed.json.count > Self.smallSize || count > Self.fewViewers else {
        work()
        return done()
      }
      background.enqueue(for: .source(ObjectIdentifier(base))) {
        work()
        done()
      }
    }
  }

  private func process(_ committed: CommittedState) {
    let (latest, entries, before) = state.withLock { state in
      (state.latest, state.entries.values.map(\.entry), state.sources.values.map(\.source))
    }
    if let latest, latest.cursor.epoch == committed.cursor.epoch,
      latest.cursor.version >= committed.version
    {
      return
    }
    let read: any ProjectedState
    do {
      read = try projector.read(committed)
    } catch {
      logger.projectionFailed(error, key, account: nil)
      // No client enters by an earlier State, whose audiences may be others by now.
      state.withLock { $0.latest = nil }
      return fail(entries)
    }
    state.withLock { $0.latest = read }
    let changes =
      latest.map { read.keepsAudiences(of: $0) } == true ? [] : changes(of: entries, in: read)
    // From here on their streams send nothing of the earlier audience.
    for (entry, target) in changes { move(entry, to: target == nil ? .nothing : .moving) }
    for source in before where state.withLock({ $0.sources[source.key]?.source === source }) {
      do {
        let view = try read.view(for: source.key)
        source.publish(view.json == source.current.json ? source.current.moved(to: view) : view)
      } catch {
        logger.projectionFailed(error, key, account: nil)
        fail(entries.filter { $0.sees(source) })
        source.end(.interrupted)
        state.withLock { $0.sources[source.key] = nil }
      }
    }
    for case (let entry, let target?) in changes { settle(entry, in: target, at: read) }
    for (entry, _) in changes { entry.group.wake() }
  }

  /// Finds the clients whose audience is another one: `nil` for none.
  private func changes(
    of entries: [ViewerEntry], in read: any ProjectedState
  ) -> [(ViewerEntry, AudienceKey?)] {
    entries.compactMap { entry -> (ViewerEntry, AudienceKey?)? in
      do {
        let audience = try read.audience(of: entry.viewer)
        switch entry.standing {
        case .sees(let source): return source.key == audience ? nil : (entry, audience)
        case .nothing, .failed, .moving:
          guard let audience else { return nil }
          return (entry, audience)
        }
      } catch {
        logger.projectionFailed(error, key, account: nil)
        fail([entry])
        return nil
      }
    }
  }

  private func move(_ entry: ViewerEntry, to standing: ViewerEntry.Standing) {
    state.withLock { state in
      guard state.entries[entry.viewer]?.entry === entry else { return }
      state.release(entry.standing)
      entry.change(to: standing)
    }
  }

  /// Ends the movement of a client to an audience, all of whose views are those of the latest commit.
  private func settle(
    _ entry: ViewerEntry, in audience: AudienceKey, at read: any ProjectedState
  ) {
    do {
      let source = try source(of: audience, at: read)
      state.withLock { state in
        // The client may have left meanwhile.
        guard state.entries[entry.viewer]?.entry === entry else {
          return state.release(.sees(source))
        }
        entry.arrive(at: .sees(source))
      }
    } catch {
      if !(error is Refusal) { logger.projectionFailed(error, key, account: nil) }
      entry.arrive(at: .failed)
    }
  }

  private func fail(_ entries: [ViewerEntry]) {
    for entry in entries {
      move(entry, to: .failed)
      entry.group.wake()
    }
  }
}

extension ViewerEntry {
  fileprivate func sees(_ source: AudienceSource) -> Bool {
    if case .sees(let own) = standing { own === source } else { false }
  }
}

extension CommittedState {
  /// The same bytes at another position.
  fileprivate func moved(to other: CommittedState) -> CommittedState {
    CommittedState(cursor: other.cursor, json: json)
  }
}

extension SessionViews.State {
  /// Adds a pending State; if there are too many, only the newest remains.
  ///
  /// - Returns: Whether it is the first one, so that the caller enqueues the work.
  fileprivate mutating func add(_ committed: CommittedState, bound: Int) -> Bool {
    let isFirst = pending.isEmpty
    pending.append(committed)
    pendingBytes += committed.json.count
    if pending.count > bound || pendingBytes > EventBuffer.byteBound {
      pending = [committed]
      pendingBytes = committed.json.count
    }
    return isFirst
  }

  fileprivate mutating func takePending() -> [CommittedState] {
    defer { (pending, pendingBytes) = ([], 0) }
    return pending
  }

  /// Adds a stream of a client that has others.
  fileprivate mutating func addStream(of viewer: Viewer) -> ViewerEntry? {
    guard end == nil, let known = entries[viewer], case .sees = known.entry.standing else {
      return nil
    }
    entries[viewer]?.streams += 1
    return known.entry
  }

  /// Adds a client of an audience that has others.
  fileprivate mutating func addViewer(of audience: AudienceKey) -> AudienceSource? {
    sources[audience]?.viewers += 1
    return sources[audience]?.source
  }

  /// A client does not see an audience any more; one without clients is forgotten.
  fileprivate mutating func release(_ standing: ViewerEntry.Standing) {
    guard case .sees(let source) = standing, let known = sources[source.key],
      known.source === source
    else { return }
    sources[source.key] = known.viewers > 1 ? (source, known.viewers - 1) : nil
  }
}

/// The projected sessions with streams.
final class SessionViewsTable: Sendable {
  private let entries = Mutex<[ObjectIdentifier: (views: SessionViews, streams: Int)]>([:])

  /// Adds a stream of a session; creates its object for the first one.
  func join(_ base: any SessionSource, create: () -> SessionViews) -> SessionViews {
    entries.withLock { entries in
      let key = ObjectIdentifier(base)
      if var entry = entries[key] {
        entry.streams += 1
        entries[key] = entry
        return entry.views
      }
      let views = create()
      entries[key] = (views, 1)
      // Start within the lock: no stream may use an object that does not observe its session yet.
      views.start()
      return views
    }
  }

  /// Removes a stream.
  func leave(_ views: SessionViews) {
    let isLast = entries.withLock { entries in
      let key = ObjectIdentifier(views.base)
      guard var entry = entries[key], entry.views === views else { return false }
      entry.streams -= 1
      entries[key] = entry.streams > 0 ? entry : nil
      return entry.streams == 0
    }
    if isLast { views.stop() }
  }

  /// The number of sessions and of streams.
  var counts: (sessions: Int, streams: Int) {
    entries.withLock { ($0.count, $0.values.reduce(0) { $0 + $1.streams }) }
  }
}
