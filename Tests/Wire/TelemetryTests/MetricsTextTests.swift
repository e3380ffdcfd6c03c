import Testing

@testable import Telemetry

/// The text format of Prometheus.
struct MetricsTextTests {
  private func text(_ write: (inout MetricsText) -> Void) -> String {
    var text = MetricsText()
    write(&text)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  @Test func `a family has its help, its type and its samples`() {
    let text = text { text in
      text.family("things_total", .counter, "Things.")
      text.sample(["kind": "a", "place": "b"], 3)
      text.sample([:], 4)
    }
    #expect(
      text == """
        # HELP things_total Things.
        # TYPE things_total counter
        things_total{kind="a",place="b"} 3
        things_total 4

        """)
  }

  @Test func `characters of a label are escaped`() {
    let text = text { text in
      text.family("things", .gauge, "Things.")
      text.sample(["kind": "a\"b\\c\nd"], 1)
    }
    #expect(text.hasSuffix(#"things{kind="a\"b\\c\nd"} 1"# + "\n"))
  }

  @Test func `a bucket of a histogram counts the values up to its bound`() {
    let histogram = Histogram(bounds: [1, 10], scale: 10)
    for value in [0, 1, 2, 10, 11, 1000] { histogram.record(value) }
    let text = text { text in
      text.family("sizes", .histogram, "Sizes.")
      text.sample(["of": "x"], histogram)
    }
    #expect(
      text.hasSuffix(
        """
        sizes_bucket{of="x",le="0.1"} 2
        sizes_bucket{of="x",le="1"} 4
        sizes_bucket{of="x",le="+Inf"} 6
        sizes_sum{of="x"} 102.4
        sizes_count{of="x"} 6

        """))
  }

  @Test func `times are written in seconds`() {
    let histogram = Histogram.ofTimes()
    histogram.record(.milliseconds(1500))
    #expect(histogram.snapshot().sum == 1.5)
  }
}
