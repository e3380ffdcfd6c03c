internal import Testing

@testable internal import MicrohttpdServer

@Suite struct DelayedResponsesTests {
  @Test func `responses are due in the order of their times, equal ones as they came`() {
    var responses = DelayedResponses()
    for (index, due) in [(1, 30), (2, 10), (3, 20), (4, 10)] as [(Int, Int64)] {
      responses.insert(index, due: due)
    }
    var order: [Int] = []
    while let next = responses.next {
      order.append(next.index)
      responses.remove(next.index)
    }
    #expect(order == [2, 4, 3, 1])
  }

  @Test func `the list is full above its limit, until a response is removed`() {
    var responses = DelayedResponses()
    for index in 0..<DelayedResponses.limit { responses.insert(index, due: 0) }
    #expect(!responses.isFull)
    responses.insert(1_000, due: 0)
    #expect(responses.isFull)
    responses.remove(5)
    responses.remove(5)
    #expect(!responses.isFull)
    #expect(responses.count == DelayedResponses.limit)
  }
}
