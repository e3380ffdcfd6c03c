import ReactorCore
import ReactorTesting
import Testing

@testable import Reactors

/// A chat room by itself.
struct ChatRoomTests {
  @Test func `members come and go, and only they can send`() async {
    let test = ReactorTest(ChatReactor())
    await test.send(.join("Ada")) { $0.members = ["Ada"] }
    await test.send(.send(from: "Bob", text: "Let me in"))
    await test.receive(failure: ChatError.notJoined)
    await test.send(.leave("Ada")) { $0.members = [] }
    await test.finish()
  }
}
