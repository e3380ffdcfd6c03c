import LogTestSupport
import ReactorCoding
import ReactorCore
import ReactorFlows
import ReactorHost
import ReactorLog
import Testing

/// The actions for screens that are read and written without the derived coding.
struct FrequentFormTests {
  private func send(_ members: String) -> String { #"{"stack":{"send":{\#(members)}}}"# }

  @Test(arguments: [
    #""to":"1","action":{"home":{"run":{"note":"x"}}}"#,
    #""to":"2","action":{"note":"hold"}"#,
    #""to":"2","action":{"note":{"hold":{}}}"#,
    #""to":"2","action":{"note":{"write":{"_0":"x"}}}"#,
    #""action":{"note":{"write":"\u00e4\n\ud83d\ude00"}},"to":"\u0032""#,
    #" "to" : "2" , "action" : { "note" : { "write" : "x" } } "#,
    #""to":"2","action":{"side":{"stack":{"send":{"to":"1","action":{"note":"hold"}}}}}"#,
    #""to":"2","action":{"side":{"stack":{"dismiss":"3"}}}"#,
  ])
  func `the value and its JSON are those of the derived coding`(members: String) throws {
    let form = try #require(FrequentForm(of: TripFlow.Action.self))
    let text = Array(send(members).utf8)
    let (value, json) = try #require(form.read(text))
    let derived = try JSONCoder.encode(
      JSONCoder.decode(TripFlow.Action.self, from: text, strictness: .strict))
    #expect(json == derived)
    #expect(try JSONCoder.encode(value) == derived)
  }

  @Test(arguments: [
    #"{"stack":{"dismiss":"2"}}"#, #"{"stack":{"open":"/"}}"#, #"{"run":{"note":"x"}}"#,
    #"{"stack":{"_0":{"dismiss":"2"}}}"#,
    #"{"stack":{"send":{"to":"2","action":{"note":"hold"}},"send":{"to":"2","action":{"note":"x"}}}}"#,
    #"{"stack":{"send":{"to":"2","action":{"note":"hold"}}},"stack":{"dismiss":"2"}}"#,
    #"{"stack":{"send":{"to":"2","action":{"note":"hold"},"more":1}}}"#,
    #"{"stack":{"send":{"to":"2","action":{"note":"hold","home":"x"}}}}"#,
    #"{"stack":{"send":{"to":2,"action":{"note":"hold"}}}}"#,
    #"{"stack":{"send":{"to":"2","action":{"note":"sing"}}}}"#,
    #"{"stack":{"send":{"to":"2","action":{"note":"hold"}}}"#, #"{"stack":{"send":"#, "", "null",
  ])
  func `other texts are left to the derived coding`(text: String) throws {
    let form = try #require(FrequentForm(of: TripFlow.Action.self))
    #expect(form.read(Array(text.utf8)) == nil)
  }

  @Test func `the log has the JSON of the derived coding`() async throws {
    let trip = try Trip()
    try await trip.send(.run(.present("a")))
    try await trip.send(
      json: #"{"stack":{"send":{ "action":{"note":{"write":{"_0":"x"}}}, "to":"2" }}}"#)
    let entry = try #require(try await trip.session().entries(after: 1, limit: 1).first)
    #expect(
      entry.action.map { String(decoding: $0, as: UTF8.self) }
        == #"{"stack":{"send":{"to":"2","action":{"note":{"write":"x"}}}}}"#)
  }

  @Test func `a type with another JSON, and one without a stack, have no form`() {
    #expect(FrequentForm(of: RenamedAction.self) == nil)
    #expect(FrequentForm(of: NoteReactor.Action.self) == nil)
  }

  /// An action whose case has another name in JSON.
  private enum RenamedAction: Codable, StackRequesting {
    case stack(StackAction<TripFlow>)

    enum CodingKeys: String, CodingKey { case stack = "screens" }
  }

  /// The texts that release 0.1 has stored.
  @Test(arguments: [
    #"{"stack":{"send":{"to":"2","action":{"note":{"write":"x"}}}}}"#,
    #"{"stack":{"send":{"to":"2","action":{"side":"present"}}}}"#,
    #"{"stack":{"dismiss":"2"}}"#, #"{"stack":{"open":"/notes/a%20b"}}"#, #"{"run":{"note":"x"}}"#,
  ])
  func `stored actions are read and written as before`(text: String) throws {
    let action = try JSONCoder.decode(TripFlow.Action.self, from: Array(text.utf8))
    #expect(try String(decoding: JSONCoder.encode(action), as: UTF8.self) == text)
  }

  @Test(arguments: [
    #"{"stack":{"change":{"id":"2","mutation":{"note":{"write":"x"}}}}}"#,
    #"{"stack":{"change":{"id":"2","mutation":{"side":{"stack":{"dismiss":{"entries":["#
      + #"{"id":"3","onDismissed":"left"}],"animated":true}}}}}}}"#,
    #"{"stack":{"present":{"id":"2","screen":"note","presentation":"push","animated":true,"#
      + #""onDismissed":{"note":"left"},"state":{"name":"a","texts":[]}}}}"#,
    #"{"stack":{"dismiss":{"entries":[{"id":"2","onDismissed":null}],"animated":false}}}"#,
    #"{"stack":{"replace":{"by":{"id":"3","screen":"help","presentation":"modal","animated":false,"#
      + #""onDismissed":null,"state":{}},"dismissed":{"id":"2","onDismissed":null}}}}"#,
    #"{"noted":"x"}"#,
  ])
  func `stored mutations are read and written as before`(text: String) throws {
    let mutation = try JSONCoder.decode(TripFlow.Mutation.self, from: Array(text.utf8))
    #expect(try String(decoding: JSONCoder.encode(mutation), as: UTF8.self) == text)
  }
}
