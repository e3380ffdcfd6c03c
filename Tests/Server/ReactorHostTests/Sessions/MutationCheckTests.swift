import LogTestSupport
import ReactorCore
@testable import ReactorHost
import ReactorLog
import Synchronization
import Telemetry
import Testing

/// The reason for which a fold differs from the live session is found and named: by the check of mutations, and by
/// the verification of a log.
struct MutationCheckTests {
  private struct Line: Sendable {
    let message: String
    let fields: [String: String]
  }

  private let lines = Recorder<Line>()
  private let clock = FlawedClock()

  private func host(
    _ registration: ReactorRegistration, over log: any MutationLog = MemoryLog(),
    _ check: HostSettings.MutationCheck = .always
  ) -> Host {
    var settings = HostSettings()
    settings.mutationCheck = check
    return Host(
      [registration], log: log, settings: settings,
      logger: Logger(level: .error) { [lines] _, message, fields in
        lines.add(Line(message: message, fields: Dictionary(fields) { $1 }))
      })
  }

  private func registration(_ flaw: FlawedReactor.Flaw?) -> ReactorRegistration {
    ReactorRegistration("flawed", summary: "Flawed") { [clock] in FlawedReactor(flaw, clock: clock)
    }
  }

  private func run(_ host: Host, _ count: Int = 3) throws {
    let session = try host.open("flawed", "a", for: .ensure)
    let request = RequestContext(id: "r-1")
    for _ in 0..<count {
      clock.now.add(1, ordering: .relaxed)
      try session.submit(
        Array(#""next""#.utf8), ifAt: nil, key: nil, for: request, accepted: { _ in },
        completion: { _ in })
    }
  }

  private func impureCount(_ host: Host) -> Int? {
    var text = MetricsText()
    host.write(to: &text)
    let sample = String(decoding: text.bytes, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("reactord_impure_mutations_total{") }
    return sample?.split(separator: " ").last.flatMap { Int($0) }
  }

  @Test(arguments: FlawedReactor.Flaw.allCases)
  func `the first difference of a reactor is logged with its version and both values`(
    flaw: FlawedReactor.Flaw
  ) throws {
    let host = host(registration(flaw))
    try run(host)
    #expect(lines.values.count == 1)
    let line = try #require(lines.values.first)
    #expect(line.message == "a second fold of a mutation differs")
    #expect(line.fields["reactor"] == "flawed")
    #expect(line.fields["session"] == "a")
    #expect(line.fields["pointer"] == "/value")
    #expect(line.fields["live"] != line.fields["second"])
    let (version, remedy) =
      switch flaw {
      case .initial: ("0", "initialState differs")
      case .random, .clock, .request: ("1", "reduce is not pure")
      case .variable: ("1", "reduce is not pure")
      case .hidden, .order: ("2", "reduce depends on what the JSON of the State does not have")
      }
    #expect(line.fields["version"] == version)
    #expect(line.fields["remedy"]?.hasPrefix(remedy) == true, "\(line.fields)")
    #expect(try #require(impureCount(host)) >= 1)
    if flaw != .initial, flaw != .clock {
      #expect(try #require(impureCount(host)) >= 2)
    }
  }

  @Test func `a pure reactor has no difference`() throws {
    let host = host(registration(nil))
    try run(host)
    #expect(lines.values.isEmpty)
    #expect(impureCount(host) == 0)
  }

  @Test func `mutations are not checked unless the build or the setting says so`() throws {
    for check in [HostSettings.MutationCheck.never, .debug] {
      let host = host(registration(.random), check)
      try run(host)
      #if DEBUG
        #expect(impureCount(host) == (check == .debug ? 3 : 0))
      #else
        #expect(impureCount(host) == 0)
      #endif
    }
  }

  @Test func `a type whose JSON is not a function of its value is named`() throws {
    let registration = ReactorRegistration("flawed", summary: "Tags") { HandWrittenReactor() }
    let log = MemoryLog()
    let host = host(registration, over: log)
    try run(host)
    let line = try #require(lines.values.first)
    #expect(line.fields["pointer"]?.hasPrefix("/tags/") == true)
    #expect(line.fields["remedy"]?.contains("HandWrittenReactor.Tags is not a function") == true)
    let impurity = try #require(try verify(host).impurity)
    guard case .encoding(let type) = impurity.cause else {
      Issue.record("\(impurity)")
      return
    }
    #expect(type.hasSuffix("HandWrittenReactor.Tags"))
    #expect(impurity.pointer.hasPrefix("/tags/"))
  }

  @Test func `a State that does not decode from its own JSON is named`() throws {
    let host = host(
      ReactorRegistration("flawed", summary: "Undecodable") { UndecodableReactor() })
    try run(host)
    let line = try #require(lines.values.first)
    #expect(line.fields["remedy"]?.contains("cannot be decoded from its own JSON") == true)
    #expect(line.fields["second"]?.contains("\"count\" is missing") == true, "\(line.fields)")
    #expect(try verify(host).impurity?.cause == .decoding)
    #expect(try verify(host).findings == [])
  }

  @Test func `long values are cut`() {
    let impurity = Impurity(
      version: 1, .reduce, at: "", String(repeating: "a", count: 200),
      String(repeating: "b", count: 5000))
    #expect(impurity.first == String(repeating: "a", count: 200))
    #expect(impurity.second == String(repeating: "b", count: 199) + "…")
  }

  // MARK: Verification

  private func verify(_ host: Host) throws -> RefoldReport {
    try #require(host.reactor("flawed")).refold("a")
  }

  @Test(arguments: FlawedReactor.Flaw.allCases)
  func `a verification finds a reactor that is not pure, and its log is sound`(
    flaw: FlawedReactor.Flaw
  ) throws {
    let host = host(registration(flaw), .never)
    try run(host, 40)
    let report = try verify(host)
    #expect(report.findings.isEmpty)
    #expect(report.mutations == 40)
    switch flaw {
    case .initial:
      #expect(report.impurity?.cause == .initialState)
    case .random:
      #expect(report.impurity?.cause == .reduce)
      #expect(report.impurity?.version == 1)
    case .hidden, .order:
      #expect(report.impurity?.cause == .unencoded)
      #expect(report.impurity?.version == 2)
    case .clock, .variable, .request:
      // Both folds run outside of requests and at the same time: only a snapshot has other values.
      #expect(report.impurity == nil)
    }
  }

  @Test(arguments: [FlawedReactor.Flaw.clock, .variable, .request])
  func `a snapshot of the live session shows that its reactor is not pure`(
    flaw: FlawedReactor.Flaw
  ) throws {
    var settings = HostSettings()
    settings.snapshotInterval = 10
    settings.mutationCheck = .never
    let host = Host([registration(flaw)], settings: settings)
    try run(host, 25)
    let report = try verify(host)
    #expect(report.findings.isEmpty)
    #expect(report.impurity?.cause == .snapshot)
    #expect(report.impurity?.pointer == "/value")
    #expect(report.impurity?.description.contains("snapshot of version") == true)
  }

  @Test func `a snapshot that another release has written in another order is sound`() throws {
    let log = MemoryLog()
    let host = host(registration(nil), over: log)
    try run(host, 5)
    let session = log.session(SessionKey(reactor: "flawed", id: "a"))
    let epoch = try host.open("flawed", "a").epoch
    let state = Array(#"{ "tags": [], "value": "", "count": 3 }"#.utf8)
    session.save(Snapshot(version: 3, state: state), of: epoch)
    let report = try verify(host)
    #expect(report.snapshots == 1)
    #expect(report.findings.isEmpty)
    #expect(report.impurity == nil)
  }

  @Test func `a snapshot that does not decode is not readable`() throws {
    let log = MemoryLog()
    let host = host(registration(nil), over: log)
    try run(host, 5)
    let session = log.session(SessionKey(reactor: "flawed", id: "a"))
    let epoch = try host.open("flawed", "a").epoch
    session.save(Snapshot(version: 3, state: Array(#"{"count":"x"}"#.utf8)), of: epoch)
    do {
      _ = try verify(host)
      Issue.record("readable")
    } catch LogError.unreadable(let version, let reason) {
      #expect(version == 3)
      #expect(reason.contains("/count"))
    }
  }
}
