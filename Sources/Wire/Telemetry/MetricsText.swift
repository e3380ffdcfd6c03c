/// Writes metrics in the text format of Prometheus (version 0.0.4).
///
/// ```swift
/// text.family("reactord_actions_total", .counter, "Actions that entered a session.")
/// text.sample(["reactor": "counter"], 17)
/// ```
public struct MetricsText: Sendable {
  /// The type of a family.
  public enum Kind: String, Sendable {
    /// A number that only grows.
    case counter

    /// A number that rises and falls.
    case gauge

    /// Values counted in buckets.
    case histogram
  }

  /// The labels of a sample, in the order in which they are written.
  public typealias Labels = KeyValuePairs<String, String>

  /// The text.
  public private(set) var bytes: [UInt8] = []
  private var name = ""

  /// The sums over the labels of the samples with some names, or `nil` where a text is written.
  package private(set) var sums: [String: Double]?

  /// Creates an empty text.
  public init() {
    bytes.reserveCapacity(16_384)
  }

  /// Creates sums over the labels of the samples with some names; no text is written.
  ///
  /// - Parameter names: The names of samples, those of a histogram with `_sum` or `_count`.
  package init(summing names: [String]) {
    sums = Dictionary(uniqueKeysWithValues: names.map { ($0, 0) })
  }

  /// Starts a family, to which the next samples belong.
  public mutating func family(_ name: String, _ kind: Kind, _ help: String) {
    self.name = name
    guard sums == nil else { return }
    bytes.append(contentsOf: "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n".utf8)
  }

  /// Writes a family with a single sample.
  public mutating func family(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
    family(name, kind, help)
    sample([:], value)
  }

  /// Writes a family with a single sample.
  public mutating func family(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
    family(name, kind, help)
    sample([:], value)
  }

  /// Writes a sample of the current family.
  public mutating func sample(_ labels: Labels, _ value: Int) {
    write(suffix: "", labels, String(value))
  }

  /// Writes a sample of the current family.
  public mutating func sample(_ labels: Labels, _ value: Double) {
    write(suffix: "", labels, "\(value)")
  }

  /// Writes the samples of a histogram.
  public mutating func sample(_ labels: Labels, _ histogram: Histogram) {
    let (buckets, sum) = histogram.snapshot()
    var count = 0
    for (index, bucket) in buckets.enumerated() {
      count += bucket
      let bound =
        index < histogram.bounds.count
        ? Self.number(Double(histogram.bounds[index]) / histogram.scale) : "+Inf"
      write(suffix: "_bucket", labels, last: ("le", bound), String(count))
    }
    write(suffix: "_sum", labels, "\(sum)")
    write(suffix: "_count", labels, String(count))
  }

  private static func number(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? "\(value)"
  }

  private mutating func write(
    suffix: String, _ labels: Labels, last: (String, String)? = nil, _ value: String
  ) {
    guard sums == nil else {
      sums?[name + suffix]? += Double(value) ?? 0
      return
    }
    bytes.append(contentsOf: name.utf8)
    bytes.append(contentsOf: suffix.utf8)
    var separator = "{"
    for (label, value) in labels.map({ ($0.key, $0.value) }) + (last.map { [$0] } ?? []) {
      bytes.append(contentsOf: "\(separator)\(label)=\"".utf8)
      escape(value)
      bytes.append(UInt8(ascii: "\""))
      separator = ","
    }
    if separator == "," { bytes.append(UInt8(ascii: "}")) }
    bytes.append(contentsOf: " \(value)\n".utf8)
  }

  private mutating func escape(_ value: String) {
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
      default: bytes.append(byte)
      }
    }
  }
}

/// A source of metrics.
public protocol MetricsSource: Sendable {
  /// Writes the current metrics. Called once per scrape, on any thread.
  func write(to text: inout MetricsText)
}
