import Testing

/// The samples of `/metrics` at one moment, by name and labels.
struct MetricsReading {
  private var values: [String: Double] = [:]

  init(_ client: HTTPClient, _ credential: [String: String] = [:]) throws {
    for line in try client.get("/metrics", credential).text.split(separator: "\n")
    where !line.hasPrefix("#") {
      guard let space = line.lastIndex(of: " ") else { continue }
      values[String(line[..<space])] = Double(line[line.index(after: space)...])
    }
  }

  /// A sample, for example `reactord_sessions{reactor="counter"}`.
  subscript(name: String) -> Double? { values[name] }
}
