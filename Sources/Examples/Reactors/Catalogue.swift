package import ReactorHost
internal import ReactorCore
internal import ReactorFlows
internal import ReactorStreams

/// The reactors that ship with `reactord`.
///
/// Add your own reactors here to host them in the shipped daemon.
package struct Catalogue: Sendable {
  /// The signed-in user, shared by all sessions of the host.
  package let currentUser = Global<User?>("currentUser", nil)

  private let userAPI = UserAPI()
  private let api: ApiController
  private let bank: SimulatedBank
  private let stopwatchInterval: Duration

  /// Creates the catalogue of one host.
  ///
  /// - Parameters:
  ///   - weatherLatency: The response time of the weather service.
  ///   - bankLatency: The response time of the bank.
  ///   - stopwatchInterval: The time between two ticks of a stopwatch.
  package init(
    weatherLatency: Duration = .milliseconds(200), bankLatency: Duration = .milliseconds(200),
    stopwatchInterval: Duration = .seconds(1)
  ) {
    bank = SimulatedBank(latency: bankLatency)
    api = ApiController(latency: weatherLatency)
    self.stopwatchInterval = stopwatchInterval
  }

  /// The values shared by all sessions.
  package var globals: [any SharedGlobal] { [currentUser] }

  /// The reactors, in the order of the catalogue resource.
  package var reactors: [ReactorRegistration] {
    [
      ReactorRegistration(
        "counter", summary: "A number that goes up and down",
        exampleActions: [.increase, .decrease, .add(5)]
      ) {
        CounterReactor()
      }.withExample,
      ReactorRegistration(
        "profile", summary: "Whether a user is followed, and the signed-in user",
        exampleActions: [.follow(7), .refreshFollowingStatus(7)]
      ) { [userAPI, currentUser = currentUser.asObservable()] in
        ProfileReactor(api: userAPI, currentUser: currentUser)
      }.withExample,
      ReactorRegistration(
        "weather", summary: "The weather of a city, with a new search cancelling the previous one",
        exampleActions: [.search("Seoul"), .search("Atlantis")]
      ) { [api] in
        WeatherReactor(api: api)
      }.withExample,
      ReactorRegistration(
        "chat", summary: "A chat room",
        exampleActions: [.join("Ada"), .send(from: "Ada", text: "Hello!"), .leave("Ada")]
      ) {
        ChatReactor()
      }.withExample,
      ReactorRegistration(
        "stopwatch", summary: "Counts ticks while it runs",
        exampleActions: [.start, .stop, .reset]
      ) { [stopwatchInterval] in
        StopwatchReactor(interval: stopwatchInterval)
      }.withExample,
      ReactorRegistration(
        "auction", summary: "An auction, listed in the lobby until its end",
        parameters: AuctionReactor.Parameters.self,
        exampleParameters: AuctionReactor.Parameters(
          item: "A lamp", endsAt: WallTime.now + .seconds(86_400)),
        exampleActions: [.open, .bid(by: "Ada", amount: 10)]
      ) { context in
        AuctionReactor(context)
      }.withExample.rejecting(with: AuctionReactor.Rejection.self),
      ReactorRegistration(
        "sealed", summary: "An auction with sealed bids, of which a bidder sees its own one",
        exampleActions: [.bid(by: "Ada", amount: 10), .reveal, .begin(item: "A chair")],
        projection: SealedAuctionReactor.projection
      ) {
        SealedAuctionReactor()
      }.withExample.rejecting(with: SealedAuctionReactor.Rejection.self),
      ReactorRegistration("lobby", summary: "The open auctions and the latest sales") {
        LobbyReactor()
      },
      ReactorRegistration(
        "booking", summary: "Seats that are held in a hall until they are paid",
        exampleActions: [.hold(seats: [1, 2], hall: "evening"), .pay(card: "visa"), .cancel]
      ) { [bank] context in
        BookingReactor(context, bank: bank)
      }.rejecting(with: BookingReactor.Rejection.self),
      ReactorRegistration("hall", summary: "The seats of a performance") {
        HallReactor()
      }.rejecting(with: HallReactor.Rejection.self),
      ReactorRegistration(
        "order", summary: "Drinks, one after the other: a flow of screens",
        exampleActions: [.stack(.open("/drinks/Latte")), .stack(.dismiss("2")), .checkout]
      ) { [bank] in
        OrderFlow(bank: bank)
      }.withExample,
    ]
  }
}

extension ReactorRegistration {
  /// The registration with the address of its example.
  fileprivate var withExample: ReactorRegistration {
    var registration = self
    registration.examplePage = "/examples/#\(name)"
    return registration
  }
}
