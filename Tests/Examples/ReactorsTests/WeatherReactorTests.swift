import LogTestSupport
import ReactorCore
import ReactorHost
import Reactors
import Testing

@Suite(.timeLimit(.minutes(60)))
struct WeatherReactorTests {
  private let hosted = HostedCatalogue()
  private let empty =
    #"{"cityName":"Empty","temperature":-1000,"humidity":0,"icon":"e"}"#

  @Test func `a city is matched without regard to case`() async throws {
    let search = try await hosted.session("weather")
    #expect(search.shown == #"{"query":"","isSearching":false,"weather":\#(empty)}"#)
    let shown = try await search.send(#"{"search":"seOUL"}"#)
    #expect(
      shown.hasPrefix(#"{"query":"seOUL","isSearching":false,"weather":{"cityName":"Seoul","#))
    #expect(search.current.version == 2)
  }

  @Test func `an unknown city shows no weather, and the session continues`() async throws {
    let search = try await hosted.session("weather")
    #expect(
      try await search.send(#"{"search":"Atlantis"}"#)
        == #"{"query":"Atlantis","isSearching":false,"weather":\#(empty)}"#)
    #expect(try await search.send(#"{"search":"Oslo"}"#).contains(#""cityName":"Oslo""#))
  }

  @Test func `a long query is rejected`() async throws {
    let search = try await hosted.session("weather")
    let query = String(repeating: "a", count: 201)
    #expect(try await search.send(#"{"search":"\#(query)"}"#) == "422 The query is too long")
    #expect(search.current.version == 0)
  }

  @Test func `the latest search wins, and the earlier result is dropped`() async throws {
    let search = try await hosted.session("weather")
    let shown = try await search.send(#"[{"search":"Paris"},{"search":"Oslo"}]"#)
    #expect(shown.contains(#""query":"Oslo","isSearching":false,"weather":{"cityName":"Oslo""#))
    let entries = try await search.entries(after: 0, limit: 9)
    #expect(
      entries.map { String(decoding: $0.mutation.prefix(22), as: UTF8.self) } == [
        #"{"beginSearch":"Paris""#, #"{"beginSearch":"Oslo"}"#, #"{"show":{"cityName":"O"#,
      ])
  }

  @Test(arguments: ["London", "new  york", " SAO PAULO ", "Ho Chi Minh City"])
  func `the service knows major cities`(city: String) async throws {
    var names: [String] = []
    for try await weather in ApiController(latency: .zero).currentWeather(city: city).values {
      names.append("\(weather)")
    }
    #expect(names.count == 1)
  }
}
