import Testing

@testable import ClientCore

struct EventParserTests {
  private func events(_ text: String, by size: Int = 3) throws -> [EventParser.Event] {
    var parser = EventParser()
    var events: [EventParser.Event] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      events += try parser.read(rest.prefix(size))
      rest = rest.dropFirst(size)
    }
    return events
  }

  @Test func `events are parsed from pieces of any size`() throws {
    let text = """
      retry: 1500

      :

      id: k3-1
      data: {"value":1}

      event: patch\r
      data:[]\r
      data: x\r
      \r
      event: end
      data

      id: k3-2

      data: late

      """
    for size in [1, 2, 5, 1000] {
      #expect(
        try events(text + "\n", by: size) == [
          event("message", #"{"value":1}"#, "k3-1"),
          event("patch", "[]\nx", "k3-1"), event("end", "", "k3-1"),
          event("message", "late", "k3-2"),
        ])
    }
  }

  private func event(_ name: String, _ data: String, _ id: String) -> EventParser.Event {
    .init(name: name, data: Array(data.utf8), id: id)
  }

  @Test func `comments and the reconnection time are items`() throws {
    var parser = EventParser()
    let items = try parser.items(Array("retry: 1200\n\n: current\n\nretry: soon\n\n".utf8)[...])
    #expect(items == [.retry(1200), .comment])
  }

  @Test func `an event above the size limit is rejected`() {
    var parser = EventParser()
    let piece = Array(repeating: UInt8(ascii: "x"), count: 1_048_576)
    #expect(throws: EventParser.TooLarge.self) {
      for _ in 0..<65 { _ = try parser.read(piece[...]) }
    }
  }
}
