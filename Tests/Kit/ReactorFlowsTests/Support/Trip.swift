import LogTestSupport
import ReactorCoding
import ReactorCore
import ReactorFlows
import ReactorHost
import ReactorLog
import SQLiteLog
import Testing
import TestSupport

/// The stores that flows are tested with.
enum Store: String, CaseIterable, CustomTestStringConvertible {
  case memory, sqlite

  var testDescription: String { rawValue }
}

/// A host with the flow of the tests, and one session of it.
final class Trip {
  private(set) var board = TripBoard()
  private(set) var host: Host
  private let log: any MutationLog
  private let store: SQLiteLog?
  private let folder: TemporaryFolder?

  init(_ kind: Store = .memory) throws {
    switch kind {
    case .memory:
      log = MemoryLog()
      (store, folder) = (nil, nil)
    case .sqlite:
      let folder = try TemporaryFolder()
      let store = try SQLiteLog(path: folder["log.db"])
      (self.store, self.folder) = (store, folder)
      log = store
    }
    host = Self.host(board, log)
  }

  deinit {
    store?.close()
  }

  private static func host(_ board: TripBoard, _ log: any MutationLog) -> Host {
    // The board records the calls of the live session only.
    var settings = HostSettings()
    settings.mutationCheck = .never
    return Host(
      [ReactorRegistration("trip", summary: "A flow") { TripFlow(board) }], log: log,
      settings: settings)
  }

  /// Starts a new host over the same log, as after a restart.
  ///
  /// With another board, the effects of the previous host have no influence, as after a crash.
  func restart(with board: TripBoard? = nil) {
    if let board { self.board = board }
    host = Self.host(self.board, log)
  }

  func session() async throws -> any Session {
    try await #require(host.reactor("trip")).session("demo", for: .use).session
  }

  /// Sends actions in one request, and returns the screens afterwards, or the status and title of
  /// the error.
  @discardableResult
  func send(_ actions: TripFlow.Action...) async throws -> String {
    try await send(json: String(decoding: JSONCoder.encode(actions), as: UTF8.self))
  }

  @discardableResult
  func send(json: String) async throws -> String {
    let (outcomes, outcome) = AsyncStream<ActionOutcome>.makeStream()
    let session = try await session()
    do {
      try session.submit(
        Array(json.utf8), ifAt: nil, key: nil, for: nil,
        accepted: { outcome.yield(.committed($0)) }, completion: { outcome.yield($0) })
    } catch {
      guard case .invalid(let pointer, let expected, let detail) = error else { return "\(error)" }
      return "422 \(pointer) \(expected) \(detail)"
    }
    for await outcome in outcomes { return try text(outcome) }
    throw CancellationError()
  }

  private func text(_ outcome: ActionOutcome) throws -> String {
    switch outcome {
    case .committed(let state): return try Self.screens(state.json)
    case .failed(_, let error, _):
      guard let error = error as? any ActionError else { return "failed \(type(of: error))" }
      return "\(error.status) \(error.title)"
    default: return "\(outcome)"
    }
  }

  private static func screens(_ json: [UInt8]) throws -> String {
    let state = try JSONCoder.decode(TripFlow.State.self, from: json)
    let screens = state.stack.entries.map { entry in
      let note = entry.state(of: NoteReactor.self)
      return "\(entry.id) \(entry.screen)" + (note.map { "(\($0.name))\($0.texts.joined())" } ?? "")
    }
    return (screens + state.notes.map { "+\($0)" }).joined(separator: " ")
  }

  func screens() async throws -> String {
    try Self.screens(await session().current.json)
  }

  func state() async throws -> TripFlow.State {
    try JSONCoder.decode(TripFlow.State.self, from: await session().current.json)
  }

  func version() async throws -> Int {
    try await session().current.version
  }

  /// The mutations of the log.
  func mutations(after version: Int = 0) async throws -> [String] {
    try await session().entries(after: version, limit: 1000).map {
      String(decoding: $0.mutation, as: UTF8.self)
    }
  }
}

extension TripFlow.Action {
  /// An action of a note.
  static func note(_ id: String, _ json: String) -> String {
    #"{"stack":{"send":{"to":"\#(id)","action":{"note":\#(json)}}}}"#
  }

  static func dismiss(_ id: String) -> Self { .stack(.dismiss(id)) }

  static func open(_ path: String) -> Self { .stack(.open(path)) }
}
