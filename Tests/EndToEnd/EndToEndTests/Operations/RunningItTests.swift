import Foundation
import Testing

/// The article "Operations" and the files for Prometheus and Grafana are complete, and refer to
/// existing names.
@Suite(.blocking)
struct RunningItTests {
  private static let root = Guide.root

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The Swift files in Sources, without the logger: its documentation contains an example of a
  /// metric.
  private static func sources() throws -> [String] {
    let files = FileManager.default.enumerator(atPath: root.appending(path: "Sources").path)
    return try #require(files).compactMap { $0 as? String }
      .filter { $0.hasSuffix(".swift") && !$0.hasSuffix("Telemetry/Logger.swift") }
      .map { try text("Sources/" + $0) }
  }

  private let article: String

  init() throws {
    article = try Self.text("Sources/Server/ReactorService/Documentation.docc/RunningIt.md")
  }

  /// The names of the metrics that a service exports, and of their series, including those of
  /// histograms.
  private func metrics() throws -> (families: Set<String>, series: Set<String>) {
    let server = try ReactordProcess.shared.get()
    let lines = try server.client().get("/metrics").text.split(separator: "\n")
    var families: Set<String> = []
    var series: Set<String> = []
    for line in lines where line.hasPrefix("# TYPE ") {
      let words = line.split(separator: " ")
      let name = String(words[2])
      families.insert(name)
      series.formUnion(
        words[3] == "histogram" ? ["_bucket", "_sum", "_count"].map { name + $0 } : [name])
    }
    return (families, series)
  }

  @Test func `every metric is described`() throws {
    let families = try metrics().families
    #expect(families.count > 20)
    for name in families { #expect(article.contains("`\(name)`"), "\(name)") }
  }

  /// Includes metrics that only some configurations have: rate limits, clusters.
  @Test func `every metric in the sources is described`() throws {
    let metric = /"((?:reactord|process)_[a-z_]+)"/
    let names = Set(try Self.sources().flatMap { $0.matches(of: metric).map(\.output.1) })
    #expect(names.count > 50)
    for name in names {
      // A histogram is described as a whole.
      let family = name.replacing(/_(bucket|sum|count)$/, with: "")
      #expect(article.contains("`\(name)`") || article.contains("`\(family)`"), "\(name)")
    }
  }

  @Test(arguments: ["config/prometheus-rules.yml", "config/grafana-dashboard.json"])
  func `rules and dashboard use metrics that exist`(file: String) throws {
    // A service alone has no metrics of a cluster.
    let cluster = try Self.sources().flatMap {
      $0.matches(of: /"(reactord_cluster_[a-z_]+)"/).map { String($0.output.1) }
    }
    let series = try metrics().series.union(cluster)
    let used = try Self.text(file)
      .matches(of: /\b(?:reactord_[a-z_]+|process_[a-z_]+)\b/).map { String($0.output) }
    #expect(used.count > 10)
    for name in used { #expect(series.contains(name), "\(name)") }
  }

  @Test func `every alert has an instruction`() throws {
    let alerts = try Self.text("config/prometheus-rules.yml")
      .matches(of: /alert: (\w+)/).map { String($0.output.1) }
    #expect(alerts.count >= 11)
    for alert in alerts { #expect(article.contains("| `\(alert)` |"), "\(alert)") }
  }

  @Test func `every line of the log is described`() throws {
    var messages: Set<String> = []
    let call = /logger\.(?:log\(\s*[^,"]+,|(?:error|warning|info)\()\s*"((?:[^"\\])*)"/
    for source in try Self.sources() {
      messages.formUnion(source.matches(of: call).map { String($0.output.1) })
    }
    #expect(messages.count > 20)
    for message in messages { #expect(article.contains("| `\(message)` |"), "\(message)") }
  }

  @Test func `every problem type is in the runbook`() throws {
    let kinds = try Self.text("Sources/Server/ReactorHTTP/Problems/ProblemKind.swift")
      .matches(of: /\n  case ([a-zA-Z]+)(?: = "([a-z-]+)")?(?=\n)/)
      .map { String($0.output.2 ?? $0.output.1) }
    #expect(kinds.count >= 28)
    for kind in kinds { #expect(article.contains("`\(kind)`"), "\(kind)") }
  }
}
