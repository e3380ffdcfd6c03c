internal import ReactorTransport
internal import Synchronization
internal import Telemetry

/// Counts responses by resource, method and status, their times by resource, and problems by type.
///
/// All labels are known in advance, so that no client can make the table grow.
final class RequestCounts: MetricsSource {
  /// The statuses of the contract; a status that a reactor chose is counted by its class.
  private static let statuses = [
    200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 406, 409, 410, 412, 413, 415, 421, 422, 429,
    431, 500, 503, 507,
  ]
  private static let labels = statuses.map(String.init) + ["2xx", "3xx", "4xx", "5xx"]
  private static let slotOfStatus = (0..<600).map { status in
    statuses.firstIndex(of: status) ?? statuses.count + min(max(status / 100 - 2, 0), 3)
  }

  /// The responses to one method of one resource: a counter per label.
  private final class Cell: Sendable {
    let counts = InlineArray<27, Atomic<Int>> { _ in Atomic(0) }
  }

  private let templates: [String]
  /// One row of methods per resource; the last row counts unknown paths.
  private let cells: [Cell]
  /// The time to the response per resource; the last one is that of unknown paths.
  private let times: [Histogram]
  private let problems: [String: Counter]

  init(_ resources: [Resource]) {
    templates = resources.map(\.template) + ["none"]
    cells = (0..<templates.count * HTTPMethod.allCases.count).map { _ in Cell() }
    times = templates.map { _ in .ofTimes() }
    problems = Dictionary(
      uniqueKeysWithValues: ProblemKind.allCases.map { ($0.rawValue, Counter()) })
  }

  /// Counts a response and its time in microseconds.
  func count(
    _ resource: Resource?, _ method: HTTPMethod, _ response: HTTPResponse, after time: Int
  ) {
    let index = resource?.index ?? templates.count - 1
    times[index].record(time)
    let row = index * HTTPMethod.allCases.count
    let slot = Self.slotOfStatus[min(max(response.status, 0), 599)]
    cells[row + method.rawValue].counts[slot].wrappingAdd(1, ordering: .relaxed)
    if let problem = response.problem { problems[problem]?.add() }
  }

  func write(to text: inout MetricsText) {
    text.family("reactord_http_requests_total", .counter, "Responses by route, method and status.")
    for (index, cell) in cells.enumerated() {
      let (row, method) = index.quotientAndRemainder(dividingBy: HTTPMethod.allCases.count)
      for slot in Self.labels.indices {
        let count = cell.counts[slot].load(ordering: .relaxed)
        guard count > 0 else { continue }
        text.sample(
          [
            "route": templates[row], "method": HTTPMethod.allCases[method].name,
            "status": Self.labels[slot],
          ], count)
      }
    }
    text.family(
      "reactord_http_request_duration_seconds", .histogram,
      "Time from the end of a request's head to its response, for streams to their head.")
    for (template, times) in zip(templates, times) where !times.isEmpty {
      text.sample(["route": template], times)
    }
    text.family("reactord_problems_total", .counter, "Problems by type.")
    for kind in ProblemKind.allCases {
      text.sample(["type": kind.rawValue], problems[kind.rawValue]?.value ?? 0)
    }
  }
}
