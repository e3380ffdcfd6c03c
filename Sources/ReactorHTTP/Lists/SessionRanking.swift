internal import ReactorLog

/// An order of a list of sessions: by a figure, the greatest first, and then by id.
enum SessionOrder: String, CaseIterable, Sendable {
  /// By the time of the last change.
  case active
  /// By the number of mutations.
  case version
  /// By the number of subscribers.
  case subscribers
  /// By the number of running effects.
  case effects

  /// The values of the parameter `order`.
  static let names = ["id"] + allCases.map(\.rawValue)

  func figure(of session: SessionSummary) -> Int {
    switch self {
    case .active: Int(session.lastActiveAt.milliseconds)
    case .version: session.cursor.version
    case .subscribers: session.subscribers
    case .effects: session.effects
    }
  }
}

/// The place of a session in an order: its figure and its id, in the text `{figure}~{id}`.
struct RankingPosition: Equatable, Sendable, CustomStringConvertible {
  let figure: Int
  let id: String

  init(of session: SessionSummary, in order: SessionOrder) {
    figure = order.figure(of: session)
    id = session.id
  }

  /// Parses a text; `nil` if it is not a position.
  init?(_ text: String) {
    let parts = text.split(separator: "~", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let figure = Int(parts[0]) else { return nil }
    self.figure = figure
    id = String(parts[1])
  }

  var description: String { "\(figure)~\(id)" }

  /// Whether the position is before another one.
  func precedes(_ other: RankingPosition) -> Bool {
    figure == other.figure ? id < other.id : figure > other.figure
  }
}

/// The first sessions of a reactor in an order, and the total number of its sessions, at one time.
struct SessionRanking: Sendable {
  /// The maximum number of sessions of a ranking, so that its memory does not depend on the number
  /// of sessions.
  static let limit = 10_000

  private(set) var sessions: [SessionSummary] = []
  /// The number of sessions, those beyond the limit included.
  private(set) var total = 0
  let time = Timestamp.now

  private let order: SessionOrder
  private let limit: Int
  /// Sessions at or after this position are beyond the limit; `nil` while the limit is not
  /// exceeded.
  private var bound: RankingPosition?

  /// Creates an empty ranking.
  init(by order: SessionOrder, limit: Int = Self.limit) {
    self.order = order
    self.limit = limit
  }

  /// Adds sessions, in time that depends on their number only.
  mutating func add(_ page: [SessionSummary]) {
    total += page.count
    for session in page {
      if let bound, !RankingPosition(of: session, in: order).precedes(bound) { continue }
      sessions.append(session)
    }
    if sessions.count >= 2 * limit { trim() }
  }

  /// Sorts the sessions and drops those beyond the limit.
  mutating func trim() {
    let order = order
    sessions.sort {
      RankingPosition(of: $0, in: order).precedes(RankingPosition(of: $1, in: order))
    }
    guard sessions.count > limit else { return }
    sessions.removeSubrange(limit...)
    bound = sessions.last.map { RankingPosition(of: $0, in: order) }
  }

  /// Returns the sessions after a position, at most `limit`; `nil` begins with the first.
  func page(after position: RankingPosition?, limit: Int) -> ArraySlice<SessionSummary> {
    guard let position else { return sessions.prefix(limit) }
    var (low, high) = (0, sessions.count)
    while low < high {
      let middle = (low + high) / 2
      if position.precedes(RankingPosition(of: sessions[middle], in: order)) {
        high = middle
      } else {
        low = middle + 1
      }
    }
    return sessions[low...].prefix(limit)
  }
}
