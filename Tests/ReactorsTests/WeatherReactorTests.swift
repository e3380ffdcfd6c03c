import ReactorCore
import ReactorHost
import Reactors
import Testing

@Suite(.timeLimit(.minutes(1)))
struct WeatherReactorTests {
  private let hosted = HostedCatalogue()
  private let empty =
    #"{"cityName":"Empty","temperature":-1000,"humidity":0,"icon":"e"}"#

  @Test func `a city is found without regard to case`() async throws {
    let search = try hosted.session("weather")
    #expect(search.shown == #"{"query":"","isSearching":false,"weather":\#(empty)}"#)
    let shown = try await search.send(#"{"search":"seOUL"}"#)
    #expect(
      shown.hasPrefix(#"{"query":"seOUL","isSearching":false,"weather":{"cityName":"Seoul","#))
    #expect(search.current.version == 2)
  }

  @Test func `an unknown city is shown as no weather, and the session lives on`() async throws {
    let search = try hosted.session("weather")
    #expect(
      try await search.send(#"{"search":"Atlantis"}"#)
        == #"{"query":"Atlantis","isSearching":false,"weather":\#(empty)}"#)
    #expect(try await search.send(#"{"search":"Oslo"}"#).contains(#""cityName":"Oslo""#))
  }

  @Test func `the latest search wins, and the older result never arrives`() async throws {
    let search = try hosted.session("weather")
    let shown = try await search.send(#"[{"search":"Paris"},{"search":"Oslo"}]"#)
    #expect(shown.contains(#""query":"Oslo","isSearching":false,"weather":{"cityName":"Oslo""#))
    let entries = try search.entries(after: 0, limit: 9)
    #expect(
      entries.map { String(decoding: $0.mutation.prefix(22), as: UTF8.self) } == [
        #"{"beginSearch":"Paris""#, #"{"beginSearch":"Oslo"}"#, #"{"show":{"cityName":"O"#,
      ])
  }

  @Test(arguments: ["London", "new  york", " SAO PAULO ", "Ho Chi Minh City"])
  func `the service knows the cities of the world`(city: String) async throws {
    var names: [String] = []
    for try await weather in ApiController(latency: .zero).currentWeather(city: city).values {
      names.append("\(weather)")
    }
    #expect(names.count == 1)
  }
}
