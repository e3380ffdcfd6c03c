import Testing

/// The figures of `/metrics` at one moment, each under its name with its labels.
struct MetricsReading {
  private var values: [String: Double] = [:]

  init(_ client: HTTPClient) throws {
    for line in try client.get("/metrics").text.split(separator: "\n") where !line.hasPrefix("#") {
      guard let space = line.lastIndex(of: " ") else { continue }
      values[String(line[..<space])] = Double(line[line.index(after: space)...])
    }
  }

  /// A figure, such as `reactord_sessions{reactor="counter"}`.
  subscript(name: String) -> Double? { values[name] }
}
