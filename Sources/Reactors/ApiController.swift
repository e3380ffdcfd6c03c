public import ReactorCore

/// A weather service behind a simulated network: it knows some cities and responds with a delay.
public final class ApiController: Sendable {
  /// The weather of a city.
  public struct Weather: Codable, Equatable, Sendable {
    var cityName: String
    var temperature: Int
    var humidity: Int
    var icon: String

    /// The placeholder shown while no weather is known.
    public static let empty = Weather(
      cityName: "Empty", temperature: -1000, humidity: 0, icon: "e")
  }

  /// The shared instance, as in an app.
  public static let shared = ApiController()

  private let latency: Duration

  /// Creates a service that responds after `latency`.
  public init(latency: Duration = .milliseconds(200)) {
    self.latency = latency
  }

  /// Returns the weather of a city, matched without regard to case.
  ///
  /// - Returns: A sequence with one element, or an error if the city is unknown.
  public func currentWeather(city: String) -> Observable<Weather> {
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
