import Testing

@testable import ReactorService

struct InheritedSocketsTests {
  @Test func `descriptors begin after the standard ones`() {
    let environment = ["LISTEN_PID": "17", "LISTEN_FDS": "3"]
    #expect(InheritedSockets.descriptors(environment, process: 17) == [3, 4, 5])
  }

  @Test(arguments: [
    [:], ["LISTEN_FDS": "1"], ["LISTEN_PID": "17"], ["LISTEN_PID": "18", "LISTEN_FDS": "1"],
    ["LISTEN_PID": "17", "LISTEN_FDS": "0"], ["LISTEN_PID": "17", "LISTEN_FDS": "-1"],
    ["LISTEN_PID": "17", "LISTEN_FDS": "65"], ["LISTEN_PID": "x", "LISTEN_FDS": "1"],
  ])
  func `descriptors for another process are ignored`(_ environment: [String: String]) {
    #expect(InheritedSockets.descriptors(environment, process: 17) == [])
  }
}
