import ReactorService
import Testing

struct StoreChoiceTests {
  @Test(arguments: [
    ("memory", StoreChoice.memory),
    ("sqlite:data/reactord.sqlite", .sqlite(path: "data/reactord.sqlite")),
    ("sqlite:/a:b", .sqlite(path: "/a:b")),
  ])
  func `the description of a parsed store is its text`(_ text: String, _ choice: StoreChoice) {
    #expect(StoreChoice(text) == choice)
    #expect(StoreChoice(choice.description) == choice)
  }

  @Test func `the description of a database has no secret, also if the text is invalid`() {
    for text in [
      "postgres://ada:secret@db:5433/app", "postgresql://db/app?password=secret",
      "postgres://u:secret@h:x:y/db?bad",
    ] {
      #expect(StoreChoice(text) == .postgres(address: text))
      #expect(StoreChoice(text)?.description.contains("secret") == false)
      #expect(StoreChoice(text)?.description.hasPrefix("postgres://") == true)
    }
  }

  @Test(arguments: [
    "", "memory:", "Memory", "sqlite", "sqlite:", "nats://127.0.0.1:4222", "disk:x", "sqlite:a\0b",
  ])
  func `an invalid store is rejected`(_ text: String) {
    #expect(StoreChoice(text) == nil)
  }
}
