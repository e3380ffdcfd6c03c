internal import ReactorHost
internal import Synchronization

/// Counts what was answered: by address, method and status, and the problems by their type.
///
/// The labels are those that the service knows, so that no client can make the table grow.
final class RequestCounts: MetricsSource {
  private static let methods = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "other"]

  /// The statuses of the contract; another one, which a reactor chose, is counted by its class.
  private static let statuses = [
    200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 406, 409, 410, 412, 413, 415, 422, 429, 431,
    500, 503, 507,
  ]
  private static let labels = statuses.map(String.init) + ["2xx", "3xx", "4xx", "5xx"]
  private static let slotOfStatus = (0..<600).map { status in
    statuses.firstIndex(of: status) ?? statuses.count + min(max(status / 100 - 2, 0), 3)
  }

  /// The answers to one method of one address: a counter for each label.
  private final class Cell: Sendable {
    let counts = InlineArray<26, Atomic<Int>> { _ in Atomic(0) }
  }

  /// For each address its methods in a row; at the end those of what is no address.
  private let cells: [Cell]
  private let problems: [ProblemKind: Counter]

  init() {
    cells = (0..<(Address.allCases.count + 1) * Self.methods.count).map { _ in Cell() }
    problems = Dictionary(
      uniqueKeysWithValues: ProblemKind.allCases.map { ($0, Counter()) })
  }

  /// Counts an answer.
  func count(_ address: Address?, _ method: String, _ response: HTTPResponse) {
    let row = (address?.rawValue ?? Address.allCases.count) * Self.methods.count
    let slot = Self.slotOfStatus[min(max(response.status, 0), 599)]
    cells[row + Self.index(of: method)].counts[slot].wrappingAdd(1, ordering: .relaxed)
    if let problem = response.problemKind { problems[problem]?.add() }
  }

  private static func index(of method: String) -> Int {
    switch method {
    case "GET": 0
    case "POST": 1
    case "PUT": 2
    case "DELETE": 3
    case "HEAD": 4
    case "OPTIONS": 5
    default: 6
    }
  }

  func write(to text: inout MetricsText) {
    text.family("reactord_http_requests_total", .counter, "Requests that were answered.")
    for (index, cell) in cells.enumerated() {
      let (row, method) = index.quotientAndRemainder(dividingBy: Self.methods.count)
      let route = row < Address.allCases.count ? Address.allCases[row].template : "none"
      for slot in Self.labels.indices {
        let count = cell.counts[slot].load(ordering: .relaxed)
        guard count > 0 else { continue }
        text.sample(
          ["route": route, "method": Self.methods[method], "status": Self.labels[slot]], count)
      }
    }
    text.family("reactord_problems_total", .counter, "Problems that were answered.")
    for kind in ProblemKind.allCases {
      text.sample(["type": kind.rawValue], problems[kind]?.value ?? 0)
    }
  }
}
