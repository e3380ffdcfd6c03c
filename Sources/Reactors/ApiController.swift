public import ReactorCore

/// Stands for a weather service in the network: it knows some cities, and takes a moment to answer.
public final class ApiController: Sendable {
  /// The weather of a city.
  public struct Weather: Codable, Equatable, Sendable {
    var cityName: String
    var temperature: Int
    var humidity: Int
    var icon: String

    /// What is shown where there is no weather.
    public static let empty = Weather(
      cityName: "Empty", temperature: -1000, humidity: 0, icon: "e")
  }

  /// The service as an app would use it.
  public static let shared = ApiController()

  private let latency: Duration

  /// Makes a service whose answers take a while.
  public init(latency: Duration = .milliseconds(200)) {
    self.latency = latency
  }

  /// The weather of a city, whose name is found without regard to case.
  ///
  /// - Returns: One weather; fails for a city that is not known.
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
