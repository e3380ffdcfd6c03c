internal import CPostgres
internal import Glibc
internal import SystemThreads

/// A statement with its name, under which a connection prepares it.
///
/// The name is a hash of the text: behind a pooler, whose connections several processes share, the same name is
/// the same statement.
struct SQL: Hashable, Sendable, ExpressibleByStringInterpolation {
  let text: String
  let name: String

  init(_ text: String) {
    self.text = text
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325  // FNV-1a
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    name = "reactord_" + String(hash, radix: 16)
  }

  init(stringLiteral text: String) { self.init(text) }
}

/// A connection to a database: the owner of libpq's handle.
// Proof: one thread uses a connection at a time: a reader while it has the lock of its slot; the thread that
// connects until it sends the connection to the writer, and the writer afterwards.
@safe
final class PostgresConnection: @unchecked Sendable {
  private let handle: OpaquePointer
  private var prepared: Set<String> = []
  /// Whether statements are prepared; not behind a pooler, which executes each transaction on any connection.
  var preparesStatements = false

  /// How long the server may take for the first statement, in milliseconds.
  private static let greetingTimeout: Int64 = 5000

  /// The first statement, after which the server detects within about ten seconds that this process is gone, and
  /// ends a statement within a second after its connection has been closed.
  ///
  /// The connection of a server has the process that libpq knows, that of a pooler another one.
  private static let greeting = SQL(
    """
    select pg_backend_pid(), set_config('tcp_keepalives_idle', '5', false),
      set_config('tcp_keepalives_interval', '2', false), set_config('tcp_keepalives_count', '3', false),
      set_config('tcp_user_timeout', '10000', false),
      set_config('client_connection_check_interval', '1000', false)
    """)

  /// Connects to the first host of an address that accepts the connection; blocks.
  ///
  /// libpq itself tries no other host after one that closes the connection, as proxies of a server do that is
  /// gone, or that rejects it.
  ///
  /// - Throws: If none does, within `connect_timeout` each, which is 5 s unless the address has another one.
  static func open(_ address: PostgresAddress) throws(PostgresError) -> PostgresConnection {
    var reasons: [String] = []
    for host in address.hosts {
      do throws(PostgresError) {
        return try PostgresConnection(address, at: host)
      } catch {
        reasons.append(error.message)
      }
    }
    throw .lost(reasons.joined(separator: "; "))
  }

  private init(_ address: PostgresAddress, at host: [String: String]) throws(PostgresError) {
    let handle = unsafe Self.withParameters(of: address, at: host) {
      unsafe PQconnectdbParams($0, $1, 1)
    }
    guard let handle = unsafe handle else { throw .lost("no memory for a connection") }
    unsafe self.handle = handle
    guard unsafe PQstatus(handle) == CONNECTION_OK else {
      throw .lost(unsafe String(cString: PQerrorMessage(handle)).firstLine)
    }
    unsafe PQsetnonblocking(handle, 1)
    // Notices are for people at a terminal, and libpq prints them.
    _ = unsafe PQsetNoticeReceiver(handle, { _, _ in }, nil)
    let rows = try execute(Self.greeting, deadline: Clock.milliseconds + Self.greetingTimeout)
    preparesStatements = unsafe try rows.first(as: Int.self) == Int(PQbackendPID(handle))
  }

  /// Whether servers accept connections, and none admits this user to the database, in any role; blocks.
  ///
  /// Otherwise waiting can help: a server starts, or a standby becomes the primary.
  static func isRejecting(_ address: PostgresAddress) -> Bool {
    let isAdmitted = address.hosts.contains { host in
      let handle = unsafe withParameters(of: address, at: host, ["target_session_attrs": "any"]) {
        unsafe PQconnectdbParams($0, $1, 1)
      }
      defer { unsafe PQfinish(handle) }
      return unsafe PQstatus(handle) == CONNECTION_OK
    }
    return !isAdmitted
      && address.hosts.contains { host in
        unsafe withParameters(of: address, at: host) { unsafe PQpingParams($0, $1, 1) } == PQPING_OK
      }
  }

  /// Calls a body with the names and values of the parameters of a connection.
  private static func withParameters<Value>(
    of address: PostgresAddress, at host: [String: String],
    _ others: [String: String] = [:],
    _ body: ([UnsafePointer<CChar>?], [UnsafePointer<CChar>?]) -> Value
  ) -> Value {
    // The address overrides the values before `dbname`, and those after it override the address.
    let parameters =
      [
        ("fallback_application_name", "reactord"), ("connect_timeout", "5"),
        ("keepalives_idle", "5"),
        ("keepalives_interval", "2"), ("keepalives_count", "3"), ("tcp_user_timeout", "10000"),
        ("dbname", address.text), ("client_encoding", "UTF8"),
      ] + host.merging(others) { $1 }.map { ($0.key, $0.value) }
    var keywords = unsafe parameters.map { unsafe UnsafePointer<CChar>(strdup($0.0)) }
    var values = unsafe parameters.map { unsafe UnsafePointer<CChar>(strdup($0.1)) }
    unsafe keywords.append(nil)
    unsafe values.append(nil)
    defer {
      unsafe (keywords + values).forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) }
    }
    return unsafe body(keywords, values)
  }

  deinit { unsafe PQfinish(handle) }

  /// The version of the server: 150004 for 15.4.
  var serverVersion: Int { Int(unsafe PQserverVersion(handle)) }

  /// A value that the server reports, such as `server_encoding`.
  func reported(_ name: String) -> String? {
    unsafe PQparameterStatus(handle, name).map { unsafe String(cString: $0) }
  }

  /// The socket.
  var descriptor: Int32 { unsafe PQsocket(handle) }

  // MARK: One statement at a time

  /// Executes a statement and blocks until its end.
  ///
  /// - Parameters:
  ///   - sql: The statement.
  ///   - parameters: Its parameters.
  ///   - deadline: The end of the wait, in ``Clock/milliseconds``.
  /// - Returns: The rows.
  /// - Throws: The error of the server, or that of the connection.
  @discardableResult
  func execute(
    _ sql: SQL, _ parameters: Parameters = Parameters(), deadline: Int64
  ) throws(PostgresError) -> Rows {
    do throws(PostgresError) {
      if preparesStatements, !prepared.contains(sql.name) {
        try check(unsafe PQsendPrepare(handle, sql.name, sql.text, 0, nil))
        try result(deadline)
        prepared.insert(sql.name)
      }
      try send(sql, parameters)
      return try result(deadline)
    } catch {
      guard error.concernsPreparedStatement, preparesStatements else { throw error }
      preparesStatements = false
      try send(sql, parameters)
      return try result(deadline)
    }
  }

  /// Executes several statements without parameters in one transaction; blocks until their end.
  func executeScript(_ text: String, deadline: Int64) throws(PostgresError) {
    try check(unsafe PQsendQuery(handle, text))
    try result(deadline)
  }

  /// Waits for the last result of a statement.
  @discardableResult
  private func result(_ deadline: Int64) throws(PostgresError) -> Rows {
    var last: Rows?
    var failure: PostgresError?
    while true {
      while try flush() {
        try wait(for: POLLIN | POLLOUT, deadline)
        try consume()
      }
      while unsafe PQisBusy(handle) != 0 {
        try wait(for: POLLIN, deadline)
        try consume()
      }
      guard let rows = next() else { break }
      last = rows
      if rows.kind == .error { failure = failure ?? rows.error }
    }
    if let failure { throw failure }
    guard let last else { throw lost }
    return last
  }

  private func wait(for events: Int32, _ deadline: Int64) throws(PostgresError) {
    let remaining = deadline - Clock.milliseconds
    guard remaining > 0 else { throw .lost("the database sent no response in time") }
    // libpq closes the socket after an error, and poll() ignores a descriptor that is negative.
    guard descriptor >= 0 else { throw lost }
    var watched = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    _ = unsafe poll(&watched, 1, Int32(clamping: remaining))
  }

  // MARK: Pipeline

  /// Begins to send statements without waiting for their results, after it has prepared some.
  func beginPipeline(preparing statements: [SQL], deadline: Int64) throws(PostgresError) {
    do throws(PostgresError) {
      for sql in statements where preparesStatements && !prepared.contains(sql.name) {
        try check(unsafe PQsendPrepare(handle, sql.name, sql.text, 0, nil))
        try result(deadline)
        prepared.insert(sql.name)
      }
    } catch {
      guard error.concernsPreparedStatement else { throw error }
      preparesStatements = false
    }
    try check(unsafe PQenterPipelineMode(handle))
  }

  /// Ends the pipeline; all results must have been received.
  func endPipeline() throws(PostgresError) { try check(unsafe PQexitPipelineMode(handle)) }

  /// Sends a statement.
  func send(_ sql: SQL, _ parameters: Parameters) throws(PostgresError) {
    let values = parameters.values
    let count = values.count
    // One buffer, so that each parameter is an address in it; NULL is no address.
    var buffer: [UInt8] = []
    buffer.reserveCapacity(parameters.size + 1)
    var offsets: [Int?] = []
    for value in values {
      offsets.append(value.map { _ in buffer.count })
      if let value { buffer += value }
    }
    buffer.append(0)
    let lengths = values.map { Int32(clamping: $0?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: count)
    let isSent = unsafe buffer.withUnsafeBufferPointer { bytes in
      let base = unsafe UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
      let addresses = unsafe offsets.map { offset in
        unsafe offset.flatMap { offset in unsafe base.map { unsafe $0 + offset } }
      }
      return preparesStatements
        ? unsafe PQsendQueryPrepared(
          handle, sql.name, Int32(count), addresses, lengths, formats, 1)
        : unsafe PQsendQueryParams(
          handle, sql.text, Int32(count), nil, addresses, lengths, formats, 1)
    }
    try check(isSent)
  }

  /// Ends a transaction of the pipeline: the statements since the last end are committed, or none of them.
  func endTransaction() throws(PostgresError) { try check(unsafe PQpipelineSync(handle)) }

  /// Writes buffered bytes to the socket.
  ///
  /// - Returns: Whether bytes are left, because the socket is full.
  func flush() throws(PostgresError) -> Bool {
    let code = unsafe PQflush(handle)
    guard code >= 0 else { throw lost }
    return code > 0
  }

  /// Reads from the socket; blocks only if ``descriptor`` is not readable.
  func consume() throws(PostgresError) { try check(unsafe PQconsumeInput(handle)) }

  /// Whether the next result is not complete.
  var isBusy: Bool { unsafe PQisBusy(handle) != 0 }

  /// The next result, or `nil` after the last one of a statement.
  func next() -> Rows? { unsafe PQgetResult(handle).map { unsafe Rows(owning: $0) } }

  private func check(_ code: Int32) throws(PostgresError) { guard code == 1 else { throw lost } }

  /// The error of the connection.
  private var lost: PostgresError {
    let text = unsafe String(cString: PQerrorMessage(handle)).firstLine
    return .lost(text.isEmpty ? "the connection was lost" : text)
  }
}
