internal import Glibc
internal import ReactorLog
internal import Synchronization
internal import SystemThreads

/// The thread that sends groups and receives their results, without waiting for a result before it sends the
/// next group.
struct WriterLoop {
  /// The maximum number of groups under way.
  ///
  /// While one is executed, the next one is at the server already; more
  /// of them would only make groups smaller.
  private static let groupsUnderWay = 2
  /// The time between two empty groups that examine whether the store can be written, in milliseconds.
  private static let probePause: Int64 = 5000
  /// The pauses between attempts to connect, in milliseconds.
  private static let pauses: ClosedRange<Int64> = 50...500

  private let writer: GroupWriter
  private var connection: PostgresConnection?
  private var isConnecting = false
  private var nextAttempt: Int64 = 0
  private var pause = Self.pauses.lowerBound
  /// The arrivals that are in no group, in order; the batches of sources are requested when a group is formed.
  private var arrived: [GroupWriter.Arrival] = []
  /// The writes that are in no group, in order, before the arrivals.
  private var pending: [PendingWrite] = []
  /// The groups under way, in order; without a connection, those whose fate is unknown.
  private var groups: [WriteGroup] = []
  /// The writes of groups that were rolled back, in order, until no group is under way.
  private var rolledBack: [PendingWrite] = []
  /// The number of the last group that was sent or committed.
  private var number: Int64 = 0
  private var hasUnsentBytes = false
  private var isReadable = false

  init(_ writer: GroupWriter) { self.writer = writer }

  /// Runs until the inbox is closed and every write is complete.
  mutating func run() {
    while true {
      for attempt in receiveAttempts() { didConnect(attempt) }
      if connection == nil, !isConnecting, Clock.milliseconds >= nextAttempt {
        isConnecting = true
        writer.connect()
      }
      probe()
      receiveArrivals()
      expire()
      do throws(PostgresError) {
        try sendGroups()
        try receiveResults()
      } catch {
        didLoseConnection(error)
      }
      let isDone =
        arrived.isEmpty && pending.isEmpty && groups.isEmpty && rolledBack.isEmpty
      if isDone, writer.arrivals.isFinished { break }
      // A group that was rolled back has left its writes, or one that was committed delayed fewer arrivals.
      if mayBegin, !(pending.isEmpty && arrived.isEmpty) { continue }
      sleep()
    }
    do throws(PostgresError) {
      try connection?.finish(
        writer.context.writer, schema: writer.schema, deadline: Clock.milliseconds + 5000)
    } catch {
      writer.health.failed(error)
    }
  }

  // MARK: Connection

  private func receiveAttempts() -> [GroupWriter.Attempt] {
    var attempts: [GroupWriter.Attempt] = []
    writer.attempts.receive(into: &attempts)
    return attempts
  }

  private mutating func didConnect(_ attempt: GroupWriter.Attempt) {
    isConnecting = false
    switch attempt {
    case .failed(let error):
      writer.health.failed(error)
      nextAttempt = Clock.milliseconds + pause
      pause = min(pause * 2, Self.pauses.upperBound)
    case .connected(let connection, let registration):
      self.connection = connection
      pause = Self.pauses.lowerBound
      (number, lastCommitted, awaitsOutOfTurn) = (registration.number, registration.number, false)
      writer.health.succeeded()
      settle(registration)
    }
  }

  /// Completes the groups that were under way when the connection was lost, and that the server has committed;
  /// repeats the others.
  private mutating func settle(_ registration: Registration) {
    for var group in groups {
      group.lost = registration.lost
      if group.number <= registration.committed {
        group.latestChange = registration.latestChange
        complete(group)
      } else if !group.isExpired {
        rolledBack += group.writes
      }
    }
    groups = []
    writer.hasUnknownFates.store(false, ordering: .sequentiallyConsistent)
    repeatWrites()
  }

  private mutating func didLoseConnection(_ error: PostgresError) {
    writer.health.failed(error)
    connection = nil
    hasUnsentBytes = false
    nextAttempt = Clock.milliseconds
    // The writes of groups that were rolled back for another reason are repeated in their order.
    pending = rolledBack + pending
    rolledBack = []
    for index in groups.indices { (groups[index].received, groups[index].error) = (0, nil) }
  }

  // MARK: Arrivals

  /// Receives the writes of the next group, and requests those of the sources, if a group may begin.
  private mutating func receiveArrivals() {
    receive()
    guard connection == nil || mayBegin else { return }
    requestBatches()
    // Sources append their requests to the inbox: receive these as well.
    receive()
    requestBatches()
  }

  private mutating func receive() {
    var arrivals: [GroupWriter.Arrival] = []
    writer.arrivals.receive(into: &arrivals)
    if arrived.isEmpty { arrived = arrivals } else { arrived += arrivals }
  }

  private mutating func requestBatches() {
    pending.reserveCapacity(pending.count + arrived.count)
    for arrival in arrived {
      switch arrival {
      case .write(let write): pending.append(write)
      case .source(let source):
        source.appendBatch()
        writer.didAsk()
      }
    }
    arrived = []
  }

  /// Fails the writes that have waited too long.
  private mutating func expire() {
    let now = Clock.milliseconds
    let late = pending.prefix { $0.deadline <= now }
    if !late.isEmpty {
      pending.removeFirst(late.count)
      let error = LogError.unavailable("The database cannot be reached.")
      writer.complete(Array(late), late.map { _ in .failure(error) })
    }
    var isLate = false
    for index in groups.indices
    where !groups[index].isExpired && groups[index].writes[0].deadline <= now {
      isLate = true
      groups[index].isExpired = true
      // Before the completion, after which the sessions are read again.
      writer.hasUnknownFates.store(true, ordering: .sequentiallyConsistent)
      let writes = groups[index].writes
      writer.complete(writes, writes.map { _ in .failure(.unknown) })
    }
    if isLate, connection != nil {
      didLoseConnection(.lost("the database sent no response in time"))
    }
  }

  // MARK: Groups

  private var canSend: Bool {
    connection != nil && rolledBack.isEmpty && !awaitsOutOfTurn
      && groups.count < Self.groupsUnderWay
  }

  /// Whether a group may begin now.
  ///
  /// A group follows one that is under way only if it is not smaller: each is a commit, and writes that wait for
  /// a commit to end share the next one.
  private var mayBegin: Bool {
    canSend && (groups.isEmpty || pending.count + arrived.count >= groups[0].writes.count)
  }

  private mutating func sendGroups() throws(PostgresError) {
    while mayBegin, !pending.isEmpty, let connection {
      var group = WriteGroup()
      var count = 0
      while count < pending.count, group.add(pending[count]) { count += 1 }
      pending.removeFirst(count)
      group.number = number + 1
      let messages = GroupEncoder.messages(of: group, after: number, writer.context)
      group.roles = messages.map(\.role)
      number = group.number
      // Before it is sent: the fate of a group that was sent in part is unknown.
      groups.append(group)
      for message in messages { try connection.send(message.sql, message.parameters) }
      try connection.endTransaction()
      hasUnsentBytes = try connection.flush()
    }
  }

  private mutating func receiveResults() throws(PostgresError) {
    guard let connection else { return }
    if hasUnsentBytes { hasUnsentBytes = try connection.flush() }
    // Without a group, the end of the connection is all there is to read.
    guard isReadable || !groups.isEmpty else { return }
    isReadable = false
    try connection.consume()
    while !groups.isEmpty, !connection.isBusy {
      guard let rows = connection.next() else { continue }
      switch rows.kind {
      case .endOfTransaction: try finishGroup()
      case .error:
        let error = rows.error
        if error.breaksConnection { throw error }
        groups[0].error = groups[0].error ?? error
      case .aborted: break
      case .rows: try receive(rows)
      }
    }
  }

  private mutating func receive(_ rows: Rows) throws(PostgresError) {
    let received = groups[0].received
    groups[0].received += 1
    guard received < groups[0].roles.count else { return }
    switch groups[0].roles[received] {
    case .other: break
    case .feed:
      if let latest = try rows.first(as: Int.self) { groups[0].latestChange = latest }
    case .seal:
      for row in 0..<rows.count { groups[0].lost.insert(try rows.row(row, as: Int64.self)) }
    }
  }

  /// Completes the first group under way, or repeats or rejects its writes.
  private mutating func finishGroup() throws(PostgresError) {
    let group = groups.removeFirst()
    if let error = group.error {
      if error.isOutOfTurn, rolledBack.isEmpty, !awaitsOutOfTurn {
        // Another connection has registered this writer, or its row was deleted.
        groups.insert(group, at: 0)
        throw error
      }
      if error.isOutOfTurn || error.isTransient {
        if !group.isExpired { rolledBack += group.writes }
      } else if error.concernsPreparedStatement {
        connection?.preparesStatements = false
        rolledBack += group.writes
      } else if error.concernsOneOperation, group.writes.count > 1 {
        rolledBack += group.writes.map(\.alone)
      } else {
        if !error.concernsOneOperation {
          writer.health.failed(error)
          nextProbe = Clock.milliseconds + Self.probePause
        }
        if !group.isExpired {
          writer.complete(group.writes, group.writes.map { _ in .failure(error.logError) })
        }
        // The groups behind it fail, too, and are repeated.
        awaitsOutOfTurn = !groups.isEmpty
      }
      if groups.isEmpty { number = lastCommitted }
    } else {
      writer.health.succeeded()
      lastCommitted = group.number
      complete(group)
    }
    if groups.isEmpty {
      awaitsOutOfTurn = false
      repeatWrites()
    }
  }

  /// The number of the last committed group of this connection.
  private var lastCommitted: Int64 = 0
  /// Whether the groups under way follow one that was rejected.
  private var awaitsOutOfTurn = false

  private func complete(_ group: WriteGroup) {
    guard !group.isExpired else { return }
    writer.complete(group.writes, group.results(), latestChange: group.latestChange)
  }

  /// Writes an empty group every five seconds while the store cannot be written and nothing else is.
  private mutating func probe() {
    guard mustProbe, Clock.milliseconds >= nextProbe else { return }
    nextProbe = Clock.milliseconds + Self.probePause
    writer.write(
      PendingWrite(WriteRequest(.maintenance, completion: nil), deadline: writer.deadline))
  }

  private var mustProbe: Bool {
    connection != nil && groups.isEmpty && pending.isEmpty && writer.health.failure != nil
  }

  private var nextProbe: Int64 = 0

  private mutating func repeatWrites() {
    pending = rolledBack + pending
    rolledBack = []
  }

  // MARK: Waiting

  /// Blocks until something arrives, a result can be read, or a deadline has passed.
  private mutating func sleep() {
    // While a group is under way, an arrival needs no wake: the end of the group is one.
    let listens = connection == nil || canSend && groups.isEmpty
    if listens, !writer.arrivals.prepareToSleep(), !writer.arrivals.isFinished { return }
    guard writer.attempts.prepareToSleep() else { return writer.arrivals.cancelSleep() }
    let now = Clock.milliseconds
    var until = now + 3_600_000
    if let first = pending.first { until = min(until, first.deadline) }
    for group in groups where !group.isExpired { until = min(until, group.writes[0].deadline) }
    if mustProbe { until = min(until, nextProbe) }
    if connection == nil, !isConnecting { until = min(until, nextAttempt) }
    var watched = [pollfd(fd: writer.waker.descriptor, events: Int16(POLLIN), revents: 0)]
    if let connection {
      // libpq closes the socket after an error, and poll() ignores a descriptor that is negative.
      guard connection.descriptor >= 0 else {
        writer.arrivals.cancelSleep()
        writer.attempts.cancelSleep()
        return didLoseConnection(.lost("the connection was lost"))
      }
      let events = hasUnsentBytes ? POLLIN | POLLOUT : POLLIN
      watched.append(pollfd(fd: connection.descriptor, events: Int16(events), revents: 0))
    }
    _ = unsafe poll(&watched, nfds_t(watched.count), Int32(clamping: max(0, until - now)))
    if watched[0].revents != 0 { writer.waker.clear() }
    isReadable = watched.count > 1 && watched[1].revents != 0
    writer.arrivals.cancelSleep()
    writer.attempts.cancelSleep()
  }
}
