import Foundation
import ReactorTransport
import Shares
import Testing

@testable import ReactorHTTP

/// `GET …/sessions` with a prefix, and `GET …/failures`.
struct SessionListTests {
  private let service = Service()

  private struct List: Decodable {
    struct Session: Decodable {
      let id: String
    }

    let sessions: [Session]
    var ids: [String] { sessions.map(\.id) }
  }

  private func list(_ query: String) throws -> (list: List, next: String?) {
    let response = try service.ask("GET", "\(Service.root)?\(query)")
    try #require(response.status == 200, "\(response.text)")
    let link = response[field: "Link"]
    let next = link?.split(separator: "?").last?.split(separator: ">").first.map { String($0) }
    return (try JSONDecoder().decode(List.self, from: Data(response.text.utf8)), next)
  }

  /// All pages of a list.
  private func pages(_ query: String) throws -> [[String]] {
    var pages: [[String]] = []
    var next: String? = query
    while let query = next {
      let page = try list(query)
      pages.append(page.list.ids)
      next = page.next
    }
    return pages
  }

  private func post(_ count: Int, to id: String) throws {
    for _ in 0..<count {
      _ = try service.ask("POST", "\(Service.root)/\(id)/actions", body: #"{"add":1}"#)
    }
  }

  @Test func `a prefix selects sessions`() throws {
    let ids = ["-", "-a", "a", "a-", "a.", "a1", "aZ", "aa", "ab", "a~", "a~~", "b", "~", "~a"]
    for id in ids { try post(1, to: id) }
    for prefix in ["", "-", "a", "aa", "a~", "b", "c", "~", ".", "..", "%20", "<", "a%20"] {
      let plain = prefix.replacing("%20", with: " ")
      let expected = ids.filter { $0.hasPrefix(plain) }
      for limit in [1, 2, 5, 1000] {
        let pages = try pages("limit=\(limit)&prefix=\(prefix)")
        #expect(pages.flatMap { $0 } == expected, "\(prefix)")
        #expect(pages.dropLast().allSatisfy { $0.count == limit })
      }
    }
  }

  @Test(arguments: ["name", "", "version", "active"])
  func `an order other than by ids is a problem`(order: String) throws {
    let response = try service.ask("GET", "\(Service.root)?order=\(order)")
    #expect(response.problem == "400 invalid-parameter")
    #expect(response.text.contains(#""parameter":"order""#))
    #expect(try list("order=id").list.ids == [])
  }

  @Test func `a client with too much background work gets no list until some of it begins`() {
    let address = ClientAddress(version4: 1)
    let account = service.api.ledger.account(of: ClientAddress.client(of: address))
    while account.acquire(.jobs, of: Limits.backgroundJobs) {}
    func list() -> HTTPResponse? { service.start("GET", Service.root, from: address).values.first }
    #expect(list()?.problem == "503 unavailable")
    account.release(.jobs)
    for _ in 0..<2 { #expect(list()?.status == 200) }
  }

  @Test func `each principal gets the list of the sessions that it may read`() throws {
    let configuration = try SignedToken.configuration()
    let service = Service(settings: { $0.authentication = configuration })
    func ask(_ claims: String, _ method: String, _ target: String, _ body: String? = nil) throws
      -> HTTPResponse
    {
      try service.ask(
        method, Service.root + target, [(.authorization, "Bearer \(SignedToken.make(claims))")],
        body: body)
    }
    let admin = #"{"sub":"o","scope":"reactord:admin"}"#
    for id in ["mine", "other"] {
      #expect(try ask(admin, "POST", "/\(id)/actions", #""fail""#).status == 500)
    }
    let user = #"{"sub":"u","reactord":{"read":["number/mine"]}}"#
    for query in ["", "?order=id", "?prefix=mine"] {
      let text = try ask(user, "GET", query).text
      #expect(text.contains(#""id":"mine""#) && !text.contains("other"), "\(text)")
    }
    let token = [(name: HTTPHeader.authorization, value: "Bearer \(SignedToken.make(user))")]
    let failures = try service.ask("GET", "/v1/reactors/number/failures", token).text
    #expect(failures.contains(#""session":"mine""#) && !failures.contains("other"), "\(failures)")
  }

  // MARK: Failures

  private func failures() throws -> String {
    try service.ask("GET", "/v1/reactors/number/failures").text
  }

  @Test func `errors of effects are listed with their actions, the latest first`() throws {
    #expect(try failures() == #"{"failures":[]}"#)
    _ = try service.act(#""fail""#)
    _ = try service.act(#"{"refuse":409}"#)
    _ = try service.act(#"{"add":1}"#)
    let text = try failures()
    #expect(text.contains(#"{"session":"demo","action":{"refuse":409},"at":""#), "\(text)")
    #expect(text.contains(#""status":409,"title":"Not today","detail":"Not today.""#), "\(text)")
    // An error without a description does not show the name of its type.
    #expect(text.contains(#""action":"fail""#) && !text.contains("Mishap"))
    let places = [#"{"refuse":409}"#, #""fail""#].compactMap { text.firstRange(of: $0)?.lowerBound }
    #expect(places.count == 2 && places == places.sorted())
  }

  @Test func `the latest 100 errors are retained, until their session ends`() throws {
    for status in 400..<530 { _ = try service.act(#"{"refuse":\#(status)}"#) }
    let text = try failures()
    #expect(text.matches(of: /"session":"demo"/).count == 100)
    #expect(text.contains(#"{"refuse":529}"#) && !text.contains(#"{"refuse":429}"#))
    #expect(try service.ask("DELETE", "\(Service.root)/demo").status == 204)
    #expect(try failures() == #"{"failures":[]}"#)
  }
}
