import LogTestSupport
import ReactorCore
import ReactorHost
import Testing

@testable import Reactors

@Suite(.timeLimit(.minutes(60)))
struct ProfileReactorTests {
  private let hosted = HostedCatalogue()

  @Test func `a user followed in one session is followed in all`() async throws {
    let (one, two) = (
      try await hosted.session("profile", "one"), try await hosted.session("profile", "two")
    )
    #expect(
      try await one.send(#"{"refreshFollowingStatus":7}"#) == #"{"isFollowing":false,"user":null}"#)
    #expect(try await one.send(#"{"follow":7}"#) == #"{"isFollowing":true,"user":null}"#)
    #expect(
      try await two.send(#"{"refreshFollowingStatus":7}"#) == #"{"isFollowing":true,"user":null}"#)
    #expect(
      try await two.send(#"{"refreshFollowingStatus":8}"#) == #"{"isFollowing":false,"user":null}"#)
    #expect(one.current.version == 2)
  }

  @Test(arguments: [#"{"follow":0}"#, #"{"refreshFollowingStatus":-1}"#])
  func `user numbers below one are rejected`(action: String) async throws {
    let profile = try await hosted.session("profile")
    #expect(try await profile.send(action) == "404 No such user")
    #expect(profile.current.version == 0)
  }

  @Test func `every session follows the signed-in user`() async throws {
    let before = try await hosted.session("profile", "before")
    try await hosted.catalogue.currentUser.set(User(name: "Ada"))
    let after = try await hosted.session("profile", "after")
    let ada = #"{"isFollowing":false,"user":{"name":"Ada"}}"#
    #expect(before.shown == ada)
    #expect(after.shown == ada)
    try await hosted.catalogue.currentUser.set(nil)
    #expect(before.shown == #"{"isFollowing":false,"user":null}"#)
    let entries = try await before.entries(after: 0, limit: 9)
    #expect(entries.map { $0.global?.name } == ["currentUser", "currentUser"])
    #expect(
      entries.map { String(decoding: $0.mutation, as: UTF8.self) } == [
        #"{"setUser":{"name":"Ada"}}"#, #"{"setUser":null}"#,
      ])
  }

  @Test func `hosts do not share their users`() async throws {
    #expect(try await hosted.session("profile").send(#"{"follow":7}"#).contains("true"))
    let other = try await HostedCatalogue().session("profile")
    #expect(try await other.send(#"{"refreshFollowingStatus":7}"#).contains("false"))
  }

  @Test func `the number of followed users is bounded`() async throws {
    let api = UserAPI(latency: .zero)
    for userID in 1...UserAPI.limit { for try await _ in api.follow(userID).values {} }
    for try await _ in api.follow(1).values {}
    let error = await #expect(throws: (any Error).self) {
      for try await _ in api.follow(UserAPI.limit + 1).values {}
    }
    #expect((error as? any ActionError)?.status == 409)
  }
}
