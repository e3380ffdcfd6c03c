package import ReactorCore
internal import ReactorHost

/// A weather search: a new search cancels the previous one, and a failed search shows no weather.
///
/// A query has at most 200 bytes of UTF-8; a longer one is rejected with status 422.
package final class WeatherReactor: Reactor {
  /// The actions that clients send.
  package enum Action: Codable, Sendable {
    case search(String)
  }

  /// The changes of the state.
  package enum Mutation: Codable, Sendable {
    case beginSearch(String)
    case show(ApiController.Weather)
  }

  /// The query and its result.
  package struct State: Codable, Sendable {
    var query = ""
    var isSearching = false
    var weather = ApiController.Weather.empty
  }

  /// No search yet.
  package let initialState = State()

  /// The maximum length of a query in bytes.
  static let queryLimit = 200

  private let api: ApiController

  /// Creates a reactor.
  package init(api: ApiController = .shared) {
    self.api = api
  }

  /// Searches until the next action arrives; an outdated result is dropped.
  package func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .search(let city):
      guard city.utf8.count <= Self.queryLimit else { return .error(LongQuery()) }
      return .concat([
        .just(.beginSearch(city)),
        api.currentWeather(city: city)
          .catchErrorJustReturn(.empty)
          .map(Mutation.show)
          .take(until: self.action),
      ])
    }
  }

  /// Applies a mutation.
  package func reduce(state: State, mutation: Mutation) -> State {
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

private struct LongQuery: ActionError {
  var status: Int { 422 }
  var title: String { "The query is too long" }
  var detail: String? { "Search with at most \(WeatherReactor.queryLimit) bytes." }
}
