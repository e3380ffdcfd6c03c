import ReactorTesting
import Testing

@testable import TodoReactors

struct TodoReactorTests {
  @Test func `an item is added and finished`() async {
    let test = ReactorTest(TodoReactor())
    await test.send(.add("Buy milk")) { $0.items = [.init(title: "Buy milk")] }
    await test.send(.finish(0)) { $0.items[0].isDone = true }
    await test.finish()
  }

  @Test func `an item that does not exist cannot be finished`() async {
    let test = ReactorTest(TodoReactor())
    await test.send(.finish(7))
    await test.receive(failure: NoSuchItem(index: 7))
    await test.finish()
  }
}
