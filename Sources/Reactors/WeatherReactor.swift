public import ReactorCore

/// A search for a city's weather: the latest search wins, and a failure is shown as no weather.
public final class WeatherReactor: Reactor {
  /// What a client asks for.
  public enum Action: Codable, Sendable {
    case search(String)
  }

  /// One change of what is shown.
  public enum Mutation: Codable, Sendable {
    case beginSearch(String)
    case show(ApiController.Weather)
  }

  /// What is shown.
  public struct State: Codable, Sendable {
    var query = ""
    var isSearching = false
    var weather = ApiController.Weather.empty
  }

  /// Nothing searched for yet.
  public let initialState = State()

  private let api: ApiController

  /// Makes a search.
  public init(api: ApiController = .shared) {
    self.api = api
  }

  /// Searches until the next search begins, whose result is then the one that counts.
  public func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .search(let city):
      .concat([
        .just(.beginSearch(city)),
        api.currentWeather(city: city)
          .catchErrorJustReturn(.empty)
          .map(Mutation.show)
          .take(until: self.action),
      ])
    }
  }

  /// Writes a change into what is shown.
  public func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .beginSearch(let query):
      state.query = query
      state.isSearching = true
    case .show(let weather):
      state.weather = weather
      state.isSearching = false
    }
    return state
  }
}
