import ReactorLog

/// The writing functions of a log as asynchronous functions.
extension SessionLog {
  func create(
    epoch: String, parameters: [UInt8]? = nil, replacesEnded: Bool = true
  ) async throws {
    try await wait {
      create(
        epoch: epoch, parameters: parameters, replacesEnded: replacesEnded, completion: $0)
    }
  }

  func append(_ batch: LogBatch, to epoch: String, expecting version: Int) async throws {
    try await wait { append(batch, to: epoch, expecting: version, completion: $0) }
  }

  func append(_ entries: [LogEntry], to epoch: String, expecting version: Int) async throws {
    try await append(LogBatch(entries), to: epoch, expecting: version)
  }

  /// Appends counted mutations: `{"change":{"by":VERSION}}`.
  func append(_ versions: ClosedRange<Int>, to epoch: String) async throws {
    try await append(
      versions.map { LogEntry(counted: $0) }, to: epoch, expecting: versions.lowerBound - 1)
  }

  func end() async throws {
    try await wait { end(completion: $0) }
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
    try await wait {
      fork(
        SessionKey(reactor: "counter", id: source),
        at: Cursor(epoch: sourceEpoch, version: version),
        to: SessionKey(reactor: "counter", id: target), epoch: epoch, parameters: parameters,
        completion: $0)
    }
  }

  func share(_ value: SharedValue, as name: String) async throws {
    try await wait { share(value, as: name, completion: $0) }
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

private func wait(
  _ start: (@escaping @Sendable (Result<Void, LogError>) -> Void) -> Void
) async throws {
  try await withCheckedThrowingContinuation { continuation in
    start { continuation.resume(with: $0.mapError { $0 }) }
  }
}
