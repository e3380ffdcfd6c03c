import ReactorLog

/// The writing functions of a log as asynchronous functions.
extension SessionLog {
  func create(epoch: String, replacesEnded: Bool = true) async throws {
    try await create(epoch: epoch, parameters: nil, replacesEnded: replacesEnded)
  }

  func append(_ batch: LogBatch, to epoch: String, expecting version: Int) async throws {
    try await withCheckedContinuation { continuation in
      append(batch, to: epoch, expecting: version) { continuation.resume(returning: $0) }
    }.get()
  }

  func append(_ entries: [LogEntry], to epoch: String, expecting version: Int) async throws {
    try await append(LogBatch(entries), to: epoch, expecting: version)
  }

  /// Appends counted mutations: `{"change":{"by":VERSION}}`.
  func append(_ versions: ClosedRange<Int>, to epoch: String) async throws {
    try await append(
      versions.map { LogEntry(counted: $0) }, to: epoch, expecting: versions.lowerBound - 1)
  }

  var stored: StoredSession? {
    get throws {
      guard case .stored(let session) = try record() else { return nil }
      return session
    }
  }
}

extension MutationLog {
  func fork(
    _ source: String, at version: Int, of sourceEpoch: String = "one", to target: String,
    epoch: String,
    parameters: [UInt8]? = nil
  ) async throws {
    try await fork(
      SessionKey(reactor: "counter", id: source),
      at: Cursor(epoch: sourceEpoch, version: version),
      to: SessionKey(reactor: "counter", id: target), epoch: epoch, parameters: parameters)
  }

  /// Waits until all earlier operations of the log are complete.
  func drain() async throws {
    let session = session(SessionKey(reactor: "drain", id: "drain"))
    try await session.end()
  }
}

extension LogEntry {
  /// An entry that contains its version.
  init(counted version: Int, global: GlobalMark? = nil) {
    self.init(
      version: version, at: Timestamp(milliseconds: 1_700_000_000_000 + Int64(version)),
      action: global == nil ? Array("\"increase\"".utf8) : nil, global: global,
      mutation: Array(#"{"change":{"by":\#(version)}}"#.utf8))
  }
}
