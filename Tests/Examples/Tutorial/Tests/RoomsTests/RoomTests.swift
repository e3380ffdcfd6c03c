import ReactorTesting
import Testing

@testable import Rooms

struct RoomTests {
  @Test func `only members can speak`() async {
    let test = ReactorTest(RoomReactor())
    await test.send(.join("Ada")) { $0.members = ["Ada"] }
    await test.send(.say(who: "Ada", text: "Hello")) {
      $0.lines = [.init(who: "Ada", text: "Hello")]
    }
    await test.send(.say(who: "Bob", text: "Let me in"))
    await test.receive(failure: NotHere(who: "Bob"))
    await test.finish()
  }

  @Test func `a reminder arrives after its time unless it is cancelled`() async {
    let test = ReactorTest(RoomReactor())
    await test.send(.remind(text: "Tea", seconds: 60))
    test.advance(by: .seconds(60))
    await test.receive { $0.lines = [.init(who: "reminder", text: "Tea")] }

    await test.send(.remind(text: "Cake", seconds: 60))
    await test.send(.forgetReminders)
    await test.finish()
  }
}
