public import ReactorHost
internal import ReactorCore
internal import ReactorStreams

/// The reactors that come with `reactord`.
///
/// To host one of your own, add it here.
public struct Catalogue: Sendable {
  /// Who is signed in, everywhere on the host.
  public let currentUser = Global<User?>("currentUser", nil)

  private let userAPI = UserAPI()
  private let api: ApiController
  private let stopwatchInterval: Duration

  /// Makes the catalogue of one host.
  ///
  /// - Parameters:
  ///   - weatherLatency: The time that the weather service takes to answer.
  ///   - stopwatchInterval: The time between two ticks of a stopwatch.
  public init(
    weatherLatency: Duration = .milliseconds(200), stopwatchInterval: Duration = .seconds(1)
  ) {
    api = ApiController(latency: weatherLatency)
    self.stopwatchInterval = stopwatchInterval
  }

  /// The values that sessions share.
  public var globals: [any SharedGlobal] { [currentUser] }

  /// The reactors, in the order in which they are listed.
  public var reactors: [ReactorRegistration] {
    [
      ReactorRegistration(
        "counter", summary: "A number that goes up and down",
        exampleActions: [.increase, .decrease, .add(5)]
      ) {
        CounterReactor()
      },
      ReactorRegistration(
        "profile", summary: "Whether somebody is followed, and who is signed in",
        exampleActions: [.follow(7), .refreshFollowingStatus(7)]
      ) { [userAPI, currentUser = currentUser.asObservable()] in
        ProfileReactor(api: userAPI, currentUser: currentUser)
      },
      ReactorRegistration(
        "weather", summary: "The weather of a city, as long as it is the one searched for last",
        exampleActions: [.search("Seoul"), .search("Atlantis")]
      ) { [api] in
        WeatherReactor(api: api)
      },
      ReactorRegistration(
        "chat", summary: "A room for many",
        exampleActions: [.join("Ada"), .send(from: "Ada", text: "Hello!"), .leave("Ada")]
      ) {
        ChatReactor()
      },
      ReactorRegistration(
        "stopwatch", summary: "Counts ticks while it runs",
        exampleActions: [.start, .stop, .reset]
      ) { [stopwatchInterval] in
        StopwatchReactor(interval: stopwatchInterval)
      },
    ]
  }
}
