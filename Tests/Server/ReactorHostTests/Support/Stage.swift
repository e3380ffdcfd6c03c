import LogTestSupport
import ReactorHost
import ReactorLog
import ReactorStreams
import Telemetry
import Testing

/// A host with one reactor, over a log that a test can delay.
struct Stage {
  let effects = EffectBoard()
  let name = Global<String?>("name", nil)
  let log: LogDouble
  let host: Host

  init(
    over log: any MutationLog = MemoryLog(), whenInterrupted: InterruptionPolicy = .runAgain,
    logger: Logger = .silent, _ adjust: (inout HostSettings) -> Void = { _ in }
  ) {
    var settings = HostSettings()
    settings.backgroundThreads = 0
    adjust(&settings)
    let double = LogDouble(log)
    self.log = double
    let (effects, name) = (effects, name)
    let stream = name.asObservable()
    host = Host(
      [
        ReactorRegistration(
          "sample", summary: "A sample", exampleActions: [.add(1)],
          whenInterrupted: whenInterrupted
        ) {
          SampleReactor(effects: effects, name: stream)
        }
      ], globals: [name], log: double, settings: settings, logger: logger)
  }

  func reactor() throws -> any HostedReactor {
    try #require(host.reactor("sample"))
  }

  /// Opens a session; the result is recorded at once unless the test delays the log.
  func open(
    _ id: String = "demo", for intent: SessionIntent = .use
  ) throws -> Recorder<Result<OpenedSession, SessionError>> {
    let results = Recorder<Result<OpenedSession, SessionError>>()
    let reactor = try reactor()
    results.add { try await reactor.session(id, for: intent) }
    return results
  }

  func session(_ id: String = "demo", for intent: SessionIntent = .use) throws -> any Session {
    try #require(try open(id, for: intent).values.first).get().session
  }

  /// The error of opening a session.
  func openingError(
    _ id: String = "demo", for intent: SessionIntent = .use
  ) throws -> SessionError? {
    guard case .failure(let error) = try open(id, for: intent).values.first else { return nil }
    return error
  }

  func end(_ id: String = "demo") throws {
    let reactor = try reactor()
    try blocking { try await reactor.endSession(id) }
  }

  func fork(
    _ source: String = "demo", at version: Int? = nil, to id: String
  ) throws -> Result<OpenedSession, SessionError> {
    let results = Recorder<Result<OpenedSession, SessionError>>()
    let reactor = try reactor()
    results.add { try await reactor.fork(source, at: version, to: id) }
    return try #require(results.values.first)
  }

  /// Evicts all unused sessions.
  func sweep() throws {
    for _ in 0..<2 { try reactor().sweep() }
  }

  var liveCount: Int {
    host.reactor("sample")?.liveSessionCount ?? -1
  }
}
