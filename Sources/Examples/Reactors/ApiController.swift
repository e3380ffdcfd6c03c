package import ReactorCore

/// A weather service behind a simulated network: it knows some cities and responds with a delay.
package final class ApiController: Sendable {
  /// The weather of a city.
  package struct Weather: Codable, Equatable, Sendable {
    var cityName: String
    var temperature: Int
    var humidity: Int
    var icon: String

    /// The placeholder shown while no weather is known.
    package static let empty = Weather(
      cityName: "Empty", temperature: -1000, humidity: 0, icon: "e")
  }

  /// The shared instance, as in an app.
  package static let shared = ApiController()

  private let latency: Duration

  /// Creates a service that responds after `latency`.
  package init(latency: Duration = .milliseconds(200)) {
    self.latency = latency
  }

  /// Returns the weather of a city, matched without regard to case.
  ///
  /// - Returns: A sequence with one element, or an error if the city is unknown.
  package func currentWeather(city: String) -> Observable<Weather> {
    .run { [latency] send in
      try await Task.sleep(for: latency)
      guard let weather = Cities.weather(of: city) else { throw UnknownCity(name: city) }
      send(weather)
    }
  }
}

private struct UnknownCity: Error {
  let name: String
}
