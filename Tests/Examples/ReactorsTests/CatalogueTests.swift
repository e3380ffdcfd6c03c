import ReactorHost
import Reactors
import Testing

struct CatalogueTests {
  private static let freeSeats =
    #"{"seats":["#
    + (1...20).map { _ in #"{"booking":null,"isSold":false}"# }.joined(separator: ",")
    + "]}"

  @Test(arguments: [
    ("counter", #"{"value":0}"#, [#""increase""#, #""decrease""#, #"{"add":5}"#]),
    (
      "profile", #"{"isFollowing":false,"user":null}"#,
      [#"{"follow":7}"#, #"{"refreshFollowingStatus":7}"#]
    ),
    (
      "weather",
      #"{"query":"","isSearching":false,"weather":"#
        + #"{"cityName":"Empty","temperature":-1000,"humidity":0,"icon":"e"}}"#,
      [#"{"search":"Seoul"}"#, #"{"search":"Atlantis"}"#]
    ),
    (
      "chat", #"{"members":[],"messages":[]}"#,
      [#"{"join":"Ada"}"#, #"{"send":{"from":"Ada","text":"Hello!"}}"#, #"{"leave":"Ada"}"#]
    ),
    (
      "stopwatch", #"{"ticks":0,"isRunning":false}"#, [#""start""#, #""stop""#, #""reset""#]
    ),
    (
      "lobby", #"{"open":[],"sold":[]}"#, []
    ),
    (
      "booking",
      #"{"phase":"new","hall":null,"seats":[],"until":null,"declined":0,"receipt":null}"#,
      [
        #"{"hold":{"seats":[1,2],"hall":"evening"}}"#, #"{"pay":{"card":"visa"}}"#, #""cancel""#,
      ]
    ),
    ("hall", freeSeats, []),
    (
      "order",
      #"{"stack":{"path":"/","presented":1,"entries":[{"id":"1","screen":"menu","#
        + #""presentation":"root","animated":false,"onDismissed":null,"#
        + #""state":{"drinks":["Latte","Mocha","Espresso"]}}]},"#
        + #""drinks":[],"receipt":null,"abandoned":0}"#,
      [
        #"{"stack":{"open":"/drinks/Latte"}}"#, #"{"stack":{"dismiss":"2"}}"#, #""checkout""#,
      ]
    ),
  ])
  func `each reactor starts in its documented state`(
    name: String, initial: String, examples: [String]
  ) async throws {
    let hosted = HostedCatalogue()
    let description = try #require(hosted.host.reactor(name)).description
    #expect(String(decoding: description.initialState, as: UTF8.self) == initial)
    #expect(description.exampleActions.map { String(decoding: $0, as: UTF8.self) } == examples)
    #expect(try await hosted.session(name).shown == initial)
  }
}
