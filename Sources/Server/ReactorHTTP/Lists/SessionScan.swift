internal import ReactorHost
internal import ReactorLog
internal import Synchronization

/// Reads the sessions of a reactor in pages, in the order of their ids.
///
/// The pages after the first are read on background threads, in turn with the work of other clients.
struct SessionScan: Sendable {
  let reactor: any HostedReactor
  /// The prefix of the ids of the sessions to read; empty for all sessions.
  let prefix: String
  /// Decides per session whether it is part of the list, or returns `nil` for all.
  let isIncluded: (@Sendable (_ id: String) -> Bool)?
  let background: WorkerPool
  let owner: WorkOwner

  /// Reads pages until there are no more sessions, or `visit` returns `false`.
  ///
  /// - Parameters:
  ///   - id: The id after which to begin; `nil` begins with the first session.
  ///   - length: The maximum number of sessions per page.
  ///   - visit: Called with the sessions of each page that are part of the list; returns whether to
  ///     continue.
  ///   - completion: Called once, on any thread.
  func read(
    after id: String?, length: Int, visit: @escaping @Sendable ([SessionSummary]) -> Bool,
    completion: @escaping @Sendable (Result<Void, SessionError>) -> Void
  ) {
    let start = Self.predecessor(of: prefix).map { max($0, id ?? "") } ?? id
    let last = Position(start)
    SerialAsyncQueue().loop { [self] next in
      reactor.sessions(after: last.id.withLock { $0 }, limit: length) { result in
        switch result {
        case .success(let page):
          let found = page.filter { $0.id.utf8.starts(with: prefix.utf8) }
          let included = isIncluded.map { isIncluded in found.filter { isIncluded($0.id) } }
          let isWanted = visit(included ?? found)
          guard isWanted, page.count == length, found.count == page.count else {
            completion(.success(()))
            return next(false)
          }
          last.id.withLock { $0 = page.last?.id }
          background.enqueue(for: owner) { next(true) }
        case .failure(let error):
          completion(.failure(error))
          next(false)
        }
      }
    }
  }

  /// Returns a text that sorts before all ids with a prefix, and after all ids that precede these, or
  /// `nil` for the empty prefix.
  ///
  /// Ids have at most 128 ASCII characters, and none of these sorts after `~`.
  private static func predecessor(of prefix: String) -> String? {
    guard let byte = prefix.utf8.last, byte > 0 else { return nil }
    let end = String(decoding: [byte - 1], as: UTF8.self)
    return prefix.dropLast() + end + String(repeating: "~", count: 128)
  }
}

/// The last session of the pages that were read.
private final class Position: Sendable {
  let id: Mutex<String?>

  init(_ id: String?) {
    self.id = Mutex(id)
  }
}
