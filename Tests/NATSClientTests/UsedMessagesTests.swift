import Testing

@testable import NATSClient

struct UsedMessagesTests {
  @Test func `messages are freed together, each once`() {
    var messages = UsedMessages()
    var freed: [UInt] = []
    for number in 1...100 as ClosedRange<UInt> {
      let now = messages.add(number, size: 10)
      #expect(now.isEmpty == (number % 32 != 0))
      freed += now
    }
    #expect(freed == Array(1...96))
  }

  @Test func `large messages are freed at once, with those that waited`() {
    var messages = UsedMessages()
    #expect(messages.add(1, size: 65_535).isEmpty)
    #expect(messages.add(2, size: 1) == [1, 2])
    #expect(messages.add(3, size: 1_000_000) == [3])
    #expect(messages.add(4, size: 0).isEmpty)
  }
}
