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
  private let stopwatchInterval: Duration

  /// Makes the catalogue of one host.
  public init(stopwatchInterval: Duration = .seconds(1)) {
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
        "stopwatch", summary: "Counts ticks while it runs",
        exampleActions: [.start, .stop, .reset]
      ) { [stopwatchInterval] in
        StopwatchReactor(interval: stopwatchInterval)
      },
    ]
  }
}
