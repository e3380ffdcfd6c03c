import LogTestSupport
import ReactorFlows
import ReactorHost
import ReactorLog
import Testing

/// The entries of one turn in the log.
struct BatchTests {
  @Test(arguments: Store.allCases)
  func `a dismissal and the mutations of its step are one batch`(store: Store) async throws {
    let trip = try Trip(store)
    try await trip.send(.run(.present("a", onDismissed: .note("left"))))
    let session = try await trip.session()
    try await trip.send(.dismiss("2"))
    #expect(
      try await trip.mutations(after: 1) == [
        #"{"stack":{"dismiss":{"entries":[{"id":"2","onDismissed":{"note":"left"}}],"#
          + #""animated":true}}}"#,
        #"{"noted":"left"}"#,
      ])
    // Both entries have the action that caused them.
    let actions = try await session.entries(after: 1, limit: 9).map { $0.action }
    #expect(actions.count == 2 && actions[0] == actions[1] && actions[0] != nil)
  }
}
