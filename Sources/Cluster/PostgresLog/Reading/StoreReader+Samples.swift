internal import ReactorLog

/// Reading the values that a release must be able to decode.
extension StoreReader {
  /// The number of sessions per reactor, the latest first, of which ``detail`` entries are read; of the others
  /// the latest entry is read.
  private static let detailedSessions = 1000
  /// The number of the latest entries of these sessions.
  private static let detail = 64
  /// The size at which a page ends, in bytes.
  private static let sampleBytes = 1 << 20
  private static let rowsPerQuery = 200

  /// Reads samples until a time has passed.
  func samples(
    after position: SamplePosition, within time: Duration, schema s: String
  ) throws(PostgresError) -> SamplePage {
    var page = SamplePage()
    let end = ContinuousClock.now + time
    var bytes = 0
    var position = position
    var isAtEnd = false
    while !isAtEnd {
      switch position.table {
      case .sessions: isAtEnd = try readSessions(&position, &page, &bytes, end, s)
      case .accepted:
        let rows = try rows(
          SQL(
            """
            select a.history, a.request, a.place, s.reactor, s.session, a.action from \(s).accepted a
            join \(s).sessions s on s.shard = a.shard and s.id = a.history
            where (a.history, a.request, a.place) > ($1::int8, $2::int8, $3::int8) and not s.ended
              and a.failure is null
            order by a.history, a.request, a.place limit \(Self.rowsPerQuery)
            """), .of(position.history ?? .min, position.request, position.place))
        for index in 0..<rows.count {
          let (history, request, place, reactor, session, json) = try rows.row(
            index, as: (Int64, Int64, Int64, String, String, [UInt8]).self)
          (position.history, position.request, position.place) = (history, request, place)
          bytes += json.count
          page.samples.append(
            StoredSample(.action, of: SessionKey(reactor: reactor, id: session), json: json))
        }
        if rows.count < Self.rowsPerQuery { (position.table, position.history) = (.timers, nil) }
      case .timers:
        let rows = try rows(
          SQL(
            """
            select t.history, t.id, s.reactor, s.session, t.action from \(s).timers t
            join \(s).sessions s on s.shard = t.shard and s.id = t.history
            where (t.history, t.id) > ($1::int8, $2::text) and not s.ended
            order by t.history, t.id limit \(Self.rowsPerQuery)
            """), .of(position.history ?? .min, position.timer))
        for index in 0..<rows.count {
          let (history, id, reactor, session, json) = try rows.row(
            index, as: (Int64, String, String, String, [UInt8]).self)
          (position.history, position.timer) = (history, id)
          bytes += json.count
          page.samples.append(
            StoredSample(.timer, of: SessionKey(reactor: reactor, id: session), json: json))
        }
        if rows.count < Self.rowsPerQuery { return page }
      }
      if bytes >= Self.sampleBytes || ContinuousClock.now >= end { isAtEnd = true }
    }
    page.next = position
    return page
  }

  /// Reads the samples of some sessions.
  ///
  /// - Returns: Whether the page ends.
  private func readSessions(
    _ position: inout SamplePosition, _ page: inout SamplePage, _ bytes: inout Int,
    _ end: ContinuousClock.Instant, _ s: String
  ) throws(PostgresError) -> Bool {
    let own = "shard = $1::int2 and history = $2::int8"
    let sessions = try rows(
      SQL(
        """
        select shard, id, reactor, session, parameters from \(s).sessions
        where id < $1::int8 and not ended order by id desc limit \(Self.rowsPerQuery)
        """), .of(position.history ?? .max))
    for index in 0..<sessions.count {
      let (shard, history, reactor, session, parameters) = try sessions.row(
        index, as: (Int64, Int64, String, String, [UInt8]?).self)
      position.history = history
      page.sessions += 1
      let key = SessionKey(reactor: reactor, id: session)
      let row = Parameters.of(Int16(truncatingIfNeeded: shard), history)
      func add(_ part: StoredSample.Part, _ version: Int, _ json: [UInt8]) {
        bytes += json.count
        page.samples.append(
          StoredSample(part, of: key, version: version, json: json, parameters: parameters))
      }
      if let parameters { add(.parameters, 0, parameters) }
      let detailed = position.detailed[reactor, default: 0]
      if detailed < Self.detailedSessions { position.detailed[reactor] = detailed + 1 }
      let limit = detailed < Self.detailedSessions ? Self.detail : 1
      let entries = try rows(
        SQL(
          "select version, mutation from \(s).mutations where \(own) order by version desc limit \(limit)"
        ),
        row)
      for entry in 0..<entries.count {
        let (version, json) = try entries.row(entry, as: (Int, [UInt8]).self)
        add(.mutation, version, json)
      }
      // Snapshots matter only where retention has removed the entries before them.
      let snapshots = try rows(
        SQL(
          """
          select version, state from \(s).snapshots where \(own)
            and not exists (select from \(s).mutations where \(own) and version = 1)
          order by version desc limit 1
          """), row)
      if let (version, json) = try snapshots.first(as: (Int, [UInt8]).self) {
        add(.snapshot, version, json)
      }
      if bytes >= Self.sampleBytes || ContinuousClock.now >= end { return true }
    }
    if sessions.count < Self.rowsPerQuery { (position.table, position.history) = (.accepted, nil) }
    return false
  }
}
