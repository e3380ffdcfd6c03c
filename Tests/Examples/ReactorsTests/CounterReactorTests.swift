import LogTestSupport
import ReactorHost
import Testing

@Suite(.timeLimit(.minutes(60)))
struct CounterReactorTests {
  private let hosted = HostedCatalogue()

  @Test func `the counter increases and decreases`() async throws {
    let counter = try await hosted.session("counter")
    #expect(try await counter.send(#""increase""#) == #"{"value":1}"#)
    #expect(try await counter.send(#"{"add":41}"#) == #"{"value":42}"#)
    #expect(try await counter.send(#""decrease""#) == #"{"value":41}"#)
    #expect(try await counter.send(#"{"add":-41}"#) == #"{"value":0}"#)
    #expect(counter.current.version == 4)
    let entries = try await counter.entries(after: 0, limit: 1)
    #expect(
      entries.map { String(decoding: $0.mutation, as: UTF8.self) } == [#"{"change":{"by":1}}"#])
  }

  @Test(arguments: [
    (Int.max, #""increase""#), (Int.max, #"{"add":1}"#), (1, #"{"add":9223372036854775807}"#),
    (Int.min, #""decrease""#), (Int.min, #"{"add":-1}"#), (-1, #"{"add":-9223372036854775808}"#),
  ])
  func `an overflow is rejected without a change`(
    value: Int, action: String
  ) async throws {
    let counter = try await hosted.session("counter")
    #expect(try await counter.send(#"{"add":\#(value)}"#) == #"{"value":\#(value)}"#)
    #expect(try await counter.send(action) == "409 The counter would overflow")
    #expect(counter.shown == #"{"value":\#(value)}"#)
    #expect(counter.current.version == 1)
  }

  @Test func `the counter reaches both ends of its range`() async throws {
    let counter = try await hosted.session("counter")
    let path =
      #"[{"add":9223372036854775807},{"add":-9223372036854775807},{"add":-9223372036854775808}]"#
    #expect(try await counter.send(path) == #"{"value":\#(Int.min)}"#)
  }
}
