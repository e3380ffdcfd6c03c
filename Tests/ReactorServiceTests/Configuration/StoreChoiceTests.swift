import ReactorService
import Testing

struct StoreChoiceTests {
  @Test(arguments: [
    ("memory", StoreChoice.memory),
    ("sqlite:data/reactord.sqlite", .sqlite(path: "data/reactord.sqlite")),
    ("sqlite:/a:b", .sqlite(path: "/a:b")),
    ("nats:nats://localhost:4222", .nats(url: "nats://localhost:4222")),
    ("nats://localhost:4222", .nats(url: "nats://localhost:4222")),
  ])
  func `a store is read with its place`(_ text: String, _ choice: StoreChoice) {
    #expect(StoreChoice(text) == choice)
    #expect(StoreChoice(choice.description) == choice)
  }

  @Test(arguments: ["", "memory:", "Memory", "sqlite", "sqlite:", "nats:", "disk:x", "sqlite:a\0b"])
  func `what is no store is refused`(_ text: String) {
    #expect(StoreChoice(text) == nil)
  }
}
