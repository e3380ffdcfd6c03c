import Testing

/// `GET /v1/reactors` and below: what is hosted.
@Suite(.blocking)
struct CatalogueTests {
  let client: HTTPClient

  init() throws {
    client = try ReactordProcess.shared.get().client()
  }

  @Test func `the catalogue lists each reactor with its summary and its links`() throws {
    let answer = try client.get("/v1/reactors")
    #expect(answer.status == 200)
    #expect(answer["Content-Type"] == "application/json")
    let reactors = try #require(try answer.json["reactors"]?.array)
    let names = reactors.compactMap { $0["name"]?.string }
    #expect(names == ["counter", "profile", "stopwatch"])
    for reactor in reactors {
      let name = try #require(reactor["name"]?.string)
      #expect(reactor["summary"]?.string?.isEmpty == false)
      #expect(
        reactor["links"] == [
          "self": .string("/v1/reactors/\(name)"),
          "sessions": .string("/v1/reactors/\(name)/sessions"),
        ])
    }
  }
}
