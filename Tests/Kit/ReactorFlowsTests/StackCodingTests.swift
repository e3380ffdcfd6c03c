import ReactorCoding
import ReactorFlows
import ReactorHost
import Testing

/// The JSON of stacks, actions and mutations, and their schemas.
struct StackCodingTests {
  private func decodingError(_ json: String) async throws -> String {
    try await Trip().send(json: json)
  }

  @Test func `the State has the documented form`() async throws {
    let trip = try Trip()
    try await trip.send(.run(.present("a b", animated: false, onDismissed: .note("left"))))
    #expect(
      String(decoding: try await trip.session().current.json, as: UTF8.self)
        == #"{"stack":{"path":"/notes/a%20b","presented":2,"entries":["#
        + #"{"id":"1","screen":"home","presentation":"root","animated":false,"onDismissed":null,"#
        + #""state":{}},"#
        + #"{"id":"2","screen":"note","presentation":"push","animated":false,"#
        + #""onDismissed":{"note":"left"},"state":{"name":"a b","texts":[]}}]},"notes":[]}"#)
  }

  @Test func `a State with a flow in a flow survives the round trip`() async throws {
    let trip = try Trip()
    try await trip.send(.run(.child()), .run(.present("a")))
    let json = try await trip.session().current.json
    let state = try JSONCoder.decode(TripFlow.State.self, from: json)
    #expect(try JSONCoder.encode(state) == json)
    #expect(state == (try await trip.state()))
    #expect(state != TripFlow.State())
  }

  @Test func `an unknown screen has a pointer and the known names`() async throws {
    #expect(
      try await decodingError(#"{"stack":{"send":{"to":"1","action":{"hotel":"x"}}}}"#)
        .hasPrefix(#"422 /stack/send/action ["home", "note", "side", "help"]"#))
    #expect(
      try await decodingError(#"{"stack":{"send":{"to":"1","action":{}}}}"#)
        .hasPrefix(#"422 /stack/send/action ["home", "note", "side", "help"]"#))
    #expect(
      try await decodingError(#"{"stack":{"send":{"to":"1","action":"home"}}}"#)
        .hasPrefix(#"422 /stack/send/action ["object"]"#))
    #expect(
      try await decodingError(#"{"stack":{"send":{"to":"1","action":{"note":"sing"}}}}"#)
        .hasPrefix(#"422 /stack/send/action/note ["write", "hold""#))
    #expect(
      try await decodingError(#"{"stack":{"leave":"2"}}"#)
        .hasPrefix(#"422 /stack ["send", "dismiss", "open"]"#))
  }

  @Test func `an action for a screen of another kind is rejected`() async throws {
    #expect(
      try await decodingError(#"{"stack":{"send":{"to":"1","action":{"note":"hold"}}}}"#)
        == "422 The action is for another screen")
  }

  @Test func `a step is not an action`() async throws {
    let names = JSONCoder.caseNames(of: StackAction<TripFlow>.self)
    #expect(names == ["send", "dismiss", "open"])
  }

  @Test func `the schemas have the types of the modules`() throws {
    let host = Host([ReactorRegistration("trip", summary: "A flow") { TripFlow(TripBoard()) }])
    let description = try #require(host.reactor("trip")).description
    let state = String(decoding: description.stateSchema, as: UTF8.self)
    #expect(state.contains(#""screen":{"const":"note"}"#))
    #expect(state.contains(#""state":{"type":"object","properties":{"name":{"type":"string"}"#))
    #expect(state.contains(#""notes":{"type":"array","items":{"type":"string"}}"#))
    let action = String(decoding: description.actionSchema, as: UTF8.self)
    #expect(action.contains(#"{"note":{"oneOf":["#))
    #expect(action.contains(#""write""#))
    let mutation = String(decoding: description.mutationSchema, as: UTF8.self)
    #expect(mutation.contains(#""followed""#))

    var types = TypeScriptDeclarations(comment: [])
    types.declare("State", comment: "", schema: JSONSchema.derive(TripFlow.State.self))
    #expect(
      types.text.contains(
        #"screen: "note"; presentation: string; animated: boolean; onDismissed: "#))
    #expect(types.text.contains("state: { name: string; texts: string[] }"))
  }
}
