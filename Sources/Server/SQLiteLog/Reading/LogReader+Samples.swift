internal import ReactorLog

/// Reading the values that a release must be able to decode.
extension LogReader {
  /// The number of sessions per reactor, the latest first, of which ``detail`` entries are read.
  ///
  /// Of the others the latest entry is read.
  private static let detailedSessions = 1000

  /// The number of the latest entries of these sessions.
  private static let detail = 64

  /// The size at which a page ends, in bytes.
  private static let sampleBytes = 1 << 20

  /// Reads samples until a time has passed.
  func samples(
    after position: SamplePosition, within time: Duration
  ) throws(DatabaseError) -> SamplePage {
    var page = SamplePage()
    let deadline = ContinuousClock.now + time
    switch position.table {
    case .sessions: try readSessions(position, until: deadline, &page)
    case .accepted: try readActions(position, until: deadline, &page)
    case .timers: try readTimers(position, until: deadline, &page)
    }
    return page
  }

  private func isFull(_ bytes: Int, _ deadline: ContinuousClock.Instant) -> Bool {
    bytes >= Self.sampleBytes || ContinuousClock.now >= deadline
  }

  private func readSessions(
    _ position: SamplePosition, until deadline: ContinuousClock.Instant, _ page: inout SamplePage
  ) throws(DatabaseError) {
    var position = position
    var bytes = 0
    // Snapshots matter only where retention has removed the entries before them.
    let sessions = try connection.prepare(
      """
      SELECT id, reactor, session, parameters,
        (SELECT version FROM mutations WHERE session = id ORDER BY version LIMIT 1)
      FROM sessions WHERE id < ?1 AND ended = 0 ORDER BY id DESC
      """)
    let entries = try connection.prepare(
      "SELECT version, mutation FROM mutations WHERE session = ?1 ORDER BY version DESC LIMIT ?2")
    let snapshot = try connection.prepare(
      "SELECT version, state FROM snapshots WHERE session = ?1 ORDER BY version DESC LIMIT 1")
    try sessions.bind(position.history ?? .max)
    defer { sessions.reset() }
    while let (id, reactor, session, parameters, first) = try sessions.next(
      as: (Int64, String, String, [UInt8]?, Int?).self)
    {
      position.history = id
      guard let key = StoredValues.key(reactor: reactor, id: session) else { continue }
      page.sessions += 1
      func add(_ part: StoredSample.Part, _ version: Int, _ json: [UInt8]) {
        bytes += json.count
        page.samples.append(
          StoredSample(part, of: key, version: version, json: json, parameters: parameters))
      }
      if let parameters { add(.parameters, 0, parameters) }
      let detailed = position.detailed[reactor, default: 0]
      if detailed < Self.detailedSessions { position.detailed[reactor] = detailed + 1 }
      try entries.bind(id, detailed < Self.detailedSessions ? Self.detail : 1)
      defer { entries.reset() }
      while let (version, json) = try entries.next(as: (Int, [UInt8]).self) {
        add(.mutation, version, json)
      }
      if first != 1, let (version, json) = try snapshot.first(id, as: (Int, [UInt8]).self) {
        add(.snapshot, version, json)
      }
      if isFull(bytes, deadline) {
        page.next = position
        return
      }
    }
    (position.table, position.history) = (.accepted, nil)
    page.next = position
  }

  private func readActions(
    _ position: SamplePosition, until deadline: ContinuousClock.Instant, _ page: inout SamplePage
  ) throws(DatabaseError) {
    var position = position
    var bytes = 0
    let actions = try connection.prepare(
      """
      SELECT accepted.session, request, place, reactor, sessions.session, action
      FROM accepted CROSS JOIN sessions ON sessions.id = accepted.session
      WHERE (accepted.session, request, place) > (?1, ?2, ?3) AND ended = 0 AND failure IS NULL
      ORDER BY accepted.session, request, place
      """)
    try actions.bind(position.history ?? .min, position.request, position.place)
    defer { actions.reset() }
    while let (history, request, place, reactor, session, action) = try actions.next(
      as: (Int64, Int64, Int64, String, String, [UInt8]).self)
    {
      (position.history, position.request, position.place) = (history, request, place)
      if let key = StoredValues.key(reactor: reactor, id: session) {
        page.samples.append(StoredSample(.action, of: key, json: action))
      }
      bytes += action.count
      if isFull(bytes, deadline) {
        page.next = position
        return
      }
    }
    (position.table, position.history) = (.timers, nil)
    page.next = position
  }

  private func readTimers(
    _ position: SamplePosition, until deadline: ContinuousClock.Instant, _ page: inout SamplePage
  ) throws(DatabaseError) {
    var position = position
    var bytes = 0
    let timers = try connection.prepare(
      """
      SELECT timers.session, timers.id, reactor, sessions.session, action
      FROM timers CROSS JOIN sessions ON sessions.id = timers.session
      WHERE (timers.session, timers.id) > (?1, ?2) AND ended = 0 ORDER BY timers.session, timers.id
      """)
    try timers.bind(position.history ?? .min, position.timer)
    defer { timers.reset() }
    while let (history, id, reactor, session, action) = try timers.next(
      as: (Int64, String, String, String, [UInt8]).self)
    {
      (position.history, position.timer) = (history, id)
      if let key = StoredValues.key(reactor: reactor, id: session) {
        page.samples.append(StoredSample(.timer, of: key, json: action))
      }
      bytes += action.count
      if isFull(bytes, deadline) {
        page.next = position
        return
      }
    }
  }
}
