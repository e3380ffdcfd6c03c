@testable import ReactorCore
@testable import ReactorHost
import ReactorLog
import ReactorTransport
import Shares
import Testing

@testable import ReactorHTTP

/// The problems of clients that have their share of a table.
@Suite struct ShareProblemTests {
  /// Each table of the ledger that rejects, and forks, with the problem and what it must name.
  private static let problems: [(table: String, problem: Problem, names: [String])] = [
    (
      "bodies", Problem(HTTPRejection.tooManyBodies(limit: 77)),
      ["77 bytes of bodies", "limits.memory"]
    ),
    (
      "connections", Problem(HTTPRejection.tooManyConnections(limit: 77)),
      ["77 connections", "limits.connections"]
    ),
    (
      "sockets", Problem(HTTPRejection.tooManyConnectionsOfAddress(limit: 77)),
      ["77 connections", "limits.address"]
    ),
    (
      "streams", Problem(HTTPRejection.tooManyStreams(limit: 77)), ["77 streams", "open files"]
    ),
    ("sessions", Problem(SessionError.tooMany), ["sessions in memory"]),
    (
      "forks",
      Problem(SessionError.log(.beyondShare(of: 77, bound: "forks that are being copied"))),
      ["77 forks that are being copied"]
    ),
    (
      "effects",
      Problem(
        failed: EffectLimitError(limit: 77, isOfReactor: false), index: nil,
        at: Cursor(epoch: "e", version: 1)), ["77 effects"]
    ),
    (
      "jobs",
      .beyondShare(
        of: 77, "requests that wait for a background thread", "Nothing was executed."),
      ["77 requests that wait for a background thread"]
    ),
    ("questions", .questions(beyond: 77), ["77 requests to providers and to the webhook"]),
  ]

  @Test func `each table that clients share has a problem here`() {
    let tables = Set(Self.problems.map(\.table))
    // Sessions are evicted, decisions are dropped, connections are closed, and a full store has an error of its
    // own.
    let others: Set<Ledger.Table> = [.states, .decisions, .events, .responses, .histories, .views]
    for table in Ledger.Table.allCases where !others.contains(table) {
      #expect(tables.contains("\(table)"))
    }
  }

  @Test(arguments: problems.indices)
  func `a rejection names the bound, the share and the setting, and when to try again`(
    index: Int
  ) throws {
    let (table, problem, names) = Self.problems[index]
    #expect([429, 503].contains(problem.status), "\(table)")
    let seconds = try #require(problem.headers["Retry-After"].flatMap { Int($0) }, "\(table)")
    #expect((1...60).contains(seconds))
    let detail = problem.detail
    for name in names { #expect(detail.contains(name), "\(detail)") }
    // The limit of an address is one of each client.
    if table != "sockets" { #expect(detail.lowercased().contains("your share"), "\(detail)") }
  }

  @Test func `the stored outcome of an effect that was rejected has the time as well`() {
    let failure = ActionFailure(index: nil, EffectLimitError(limit: 77, isOfReactor: true))
    let problem = Problem(
      failed: failure.error, index: nil, at: Cursor(epoch: "e", version: 1))
    #expect(problem.status == 503)
    #expect(problem.headers["Retry-After"] == "1")
  }
}
