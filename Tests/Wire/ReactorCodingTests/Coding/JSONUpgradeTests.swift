import ReactorCoding
import Testing

@Suite struct JSONUpgradeTests {
  private func upgraded(_ upgrade: JSONUpgrade, _ text: String) throws -> String {
    String(decoding: try upgrade(Array(text.utf8)), as: UTF8.self)
  }

  @Test(arguments: [
    (#"{"put":{"id":1}}"#, #"{"put":{"id":1,"labels":[]}}"#),
    (#"{"put":{"id":1,"labels":["x"]}}"#, #"{"put":{"id":1,"labels":["x"]}}"#),
    (#"{"put":{"_0":{"id":1}}}"#, #"{"put":{"_0":{"id":1,"labels":[]}}}"#),
    (#"{"gone":{"id":1}}"#, #"{"gone":{"id":1}}"#),
    (#""put""#, #""put""#),
  ])
  func `a member is added to the values of a case`(_ old: String, _ new: String) throws {
    let upgrade = JSONUpgrade.adding("labels", [], in: "put", "arrived")
    #expect(try upgraded(upgrade, old) == new)
    #expect(try upgraded(upgrade, new) == new)
  }

  @Test func `paths lead into objects, arrays and dictionaries`() throws {
    let state = #"{"cards":[{"n":1},{"n":2}],"byName":{"a":{"n":3}},"top":{"card":{"n":4}}}"#
    let upgrade: JSONUpgrade = [
      .adding("cards/*/labels", []), .renaming("byName/*/n", to: "number"),
      .removing("top/card/n"), .replacing("cards/*/n") { $0 == 1 ? "one" : $0 },
      .adding("top/card/copy", from: { $0["n"] ?? .null }), .adding("none/x", 1),
      .replacing("cards/0/labels") { _ in ["first"] },
    ]
    #expect(
      try upgraded(upgrade, state)
        == #"{"cards":[{"n":"one","labels":["first"]},{"n":2,"labels":[]}],"#
        + #""byName":{"a":{"number":3}},"top":{"card":{"copy":null}}}"#)
  }

  @Test func `a member is not renamed over another one`() throws {
    let upgrade = JSONUpgrade.renaming("title", to: "name", in: "put")
    #expect(try upgraded(upgrade, #"{"put":{"title":"a"}}"#) == #"{"put":{"name":"a"}}"#)
    let both = #"{"put":{"title":"a","name":"b"}}"#
    #expect(try upgraded(upgrade, both) == both)
  }

  @Test func `cases are renamed and replaced`() throws {
    let upgrade: JSONUpgrade = [
      .renaming(case: "ring", to: "remind"),
      .replacing(case: "remind") { old in
        old["card"] != nil
          ? ["remind": old] : ["remind": ["card": old["id"] ?? .null, "times": 1]]
      },
      .replacing(case: "old", with: "nothing"),
    ]
    #expect(
      try upgraded(upgrade, #"{"ring":{"id":7}}"#) == #"{"remind":{"card":7,"times":1}}"#)
    #expect(try upgraded(upgrade, #""ring""#) == #"{"remind":{"card":null,"times":1}}"#)
    #expect(try upgraded(upgrade, #"{"old":1}"#) == #""nothing""#)
    #expect(try upgraded(upgrade, #""other""#) == #""other""#)
  }

  @Test func `changes are applied in the order of the releases`() throws {
    let upgrade: JSONUpgrade = [
      .renaming("a", to: "b"), .renaming("b", to: "c"), .adding("a", 1),
    ]
    #expect(try upgraded(upgrade, #"{"a":0}"#) == #"{"c":0,"a":1}"#)
  }

  // MARK: Stored values

  private enum Change: Codable, Equatable {
    case put(Card)
    case tags(Set<String>)
    case remind(card: Int, times: Int)
  }

  private struct Card: Codable, Equatable, DecodingDefaults {
    var id: Int
    var name = ""
    static var decodingDefaults: MemberDefaults<Card> { MemberDefaults("name", of: Card(id: 0)) }
  }

  private struct Rejected: Error {}

  private func read(_ upgrade: JSONUpgrade, _ text: String) throws -> Change {
    try upgrade.decode(Change.self, from: Array(text.utf8))
  }

  @Test func `a renamed member with a default is converted, although the JSON can be decoded`()
    throws
  {
    let upgrade: JSONUpgrade = .renaming("title", to: "name", in: "put")
    #expect(try read(upgrade, #"{"put":{"id":1,"title":"a"}}"#) == .put(Card(id: 1, name: "a")))
    #expect(try read(upgrade, #"{"put":{"id":1}}"#) == .put(Card(id: 1, name: "")))
  }

  @Test func `JSON of the present release is not converted`() throws {
    let upgrade: JSONUpgrade = .converting { _ in throw Rejected() }
    let present: [Change] = [
      .put(Card(id: 1)), .tags(["a", "b", "c", "d", "e"]), .remind(card: 1, times: 2),
    ]
    for change in present {
      #expect(try upgrade.decode(Change.self, from: JSONCoder.encode(change)) == change)
    }
    // The elements of a set have no order.
    let counted = JSONUpgrade.replacing(case: "tags", with: ["tags": []])
    #expect(try read(counted, #"{"tags":["a","b","c"]}"#) == .tags(["a", "b", "c"]))
    #expect(try read(counted, #"{"tags":["c","b","a"]}"#) == .tags(["a", "b", "c"]))
  }

  @Test func `JSON that an upgrade rejects is decoded as it is, or not at all`() throws {
    let upgrade: JSONUpgrade = .converting { _ in throw Rejected() }
    #expect(try read(upgrade, #"{"put":{"id":1,"more":2}}"#) == .put(Card(id: 1)))
    #expect(throws: Rejected.self) { try read(upgrade, #"{"remind":{"id":1}}"#) }
    let useless: JSONUpgrade = .adding("x", 1, in: "remind")
    #expect(throws: JSONDecodingFailure.self) { try read(useless, #"{"remind":{"id":1}}"#) }
  }
}
