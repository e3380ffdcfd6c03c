import ReactorTesting
import Testing

@testable import Rooms

struct RoomTests {
  @Test func `who has joined can speak, who has not cannot`() async {
    let test = ReactorTest(RoomReactor())
    await test.send(.join("Ada")) { $0.members = ["Ada"] }
    await test.send(.say(who: "Ada", text: "Hello")) {
      $0.lines = [.init(who: "Ada", text: "Hello")]
    }
    await test.send(.say(who: "Bob", text: "Let me in"))
    await test.receive(failure: NotHere(who: "Bob"))
    await test.finish()
  }

  @Test func `a reminder comes when its time has passed, unless it is forgotten`() async {
    let test = ReactorTest(RoomReactor())
    await test.send(.remind(text: "Tea", seconds: 60))
    test.advance(by: .seconds(60))
    await test.receive { $0.lines = [.init(who: "reminder", text: "Tea")] }

    await test.send(.remind(text: "Cake", seconds: 60))
    await test.send(.forgetReminders)
    await test.finish()
  }
}
