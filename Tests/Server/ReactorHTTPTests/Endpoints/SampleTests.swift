import ReactorCoding
import ReactorLog
import ReactorTransport
import Telemetry
import Testing

@testable import ReactorHTTP

/// The samples of metrics of the last hour.
struct SampleTests {
  private struct Source: MetricsSource {
    let actions: Int

    func write(to text: inout MetricsText) {
      text.family("reactord_actions_total", .counter, "Actions.")
      text.sample(["reactor": "a"], actions)
      text.sample(["reactor": "b"], 1)
      text.family("reactord_other", .gauge, "Another metric.", 7)
    }
  }

  private func actions(_ samples: MetricsSamples) throws -> [String] {
    let series = samples.json["series"]?["reactord_actions_total"]
    guard case .array(let values)? = series else { return [] }
    return values.map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  @Test func `each interval has one sample, and none while the process does not run`() throws {
    let samples = MetricsSamples()
    #expect(try actions(samples) == [])
    #expect(samples.json["latest"] == .null)
    for (interval, count) in [(3, 10), (3, 20), (4, 30), (6, 40), (5, 50)] {
      samples.take(
        from: [Source(actions: count)], in: interval,
        at: Timestamp(milliseconds: Int64(interval) * 10_000))
    }
    #expect(try actions(samples) == ["11", "31", "null", "41"])
    #expect(samples.json["latest"] == .string("1970-01-01T00:01:00.000Z"))
    // A metric without a source.
    #expect(samples.json["series"]?["reactord_streams"] == .array([0, 0, .null, 0]))
  }

  @Test func `the samples of an hour are retained, also after a long pause`() throws {
    let samples = MetricsSamples()
    for interval in 0..<1_000 {
      samples.take(from: [Source(actions: interval)], in: interval, at: .now)
    }
    let retained = try actions(samples)
    #expect(retained.count == 360)
    #expect(retained.first == "641" && retained.last == "1000")
    samples.take(from: [Source(actions: 5)], in: 1_000_000, at: .now)
    #expect(try actions(samples) == Array(repeating: "null", count: 359) + ["6"])
  }

  @Test func `the endpoint returns the samples that the service takes`() throws {
    let service = Service()
    service.api.takeSample()
    service.api.takeSample()
    let response = try service.ask("GET", "/v1/samples")
    #expect(response.status == 200)
    #expect(response.text.hasPrefix(#"{"interval":10,"latest":""#))
    #expect(response.text.contains(#""reactord_actions_total":[0]"#))
  }

  @Test func `the next timers of all sessions are listed for administrators`() throws {
    let response = try Service().ask("GET", "/v1/timers?limit=5")
    #expect(response.status == 200)
    #expect(response.text == #"{"timers":[]}"#)
    #expect(try Service().ask("GET", "/v1/timers?limit=0").problem == "400 invalid-parameter")
  }
}
