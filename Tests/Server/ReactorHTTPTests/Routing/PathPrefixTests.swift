import Foundation
import ReactorTransport
import TestSupport
import Testing

@testable import ReactorHTTP

/// `http.prefix`, for proxies that remove the prefix and for those that do not.
struct PathPrefixTests {
  private let service = Service(settings: { $0.prefix = "/app/b" })

  @Test(arguments: ["", "/app/b"])
  func `all addresses begin with the prefix, whether a proxy removes it or not`(
    sent: String
  ) throws {
    let sessions = "\(sent)\(Service.root)"
    let created = try service.ask("POST", sessions, body: #"{"id":"a"}"#)
    #expect(created.status == 201)
    #expect(created[field: "Location"] == "/app/b\(Service.root)/a")
    #expect(try service.ask("PUT", sessions + "/b").status == 201)
    let page = try service.ask("GET", sessions + "?limit=1")
    #expect(page[field: "Link"] == "</app/b\(Service.root)?limit=1&after=a>; rel=\"next\"")
    let problem = try service.ask("GET", sent + "/v1/reactors/none")
    #expect(problem.text.hasPrefix(#"{"type":"/app/b/problems/unknown-reactor","title""#))
    let text = try service.ask("GET", sent + "/v1/reactors").text
    #expect(
      text.contains(#"{"self":"/app/b/v1/reactors/number","sessions":"/app/b\#(Service.root)""#))
    let globals = try service.ask("GET", sent + "/v1/globals").text
    #expect(globals.contains(#""events":"/app/b/v1/globals/motto/events""#))
    let document = try service.ask("GET", sent + "/openapi.json").text
    #expect(document.contains(#""servers":[{"url":"/app/b"}]"#))
    #expect(document.contains(#""type":"/app/b/problems/"#))
  }

  @Test func `a page without a resource has addresses from its own`() throws {
    let page = try service.ask("GET", "/app/b/examples/nothing", [(.accept, "text/html")])
    #expect(page.status == 404)
    #expect(page.text.contains(#"href="../page.css""#))
  }

  @Test(arguments: [false, true])
  func `the prefix without a slash is an address of the page with one`(hasPages: Bool) throws {
    let folder = try TemporaryFolder()
    try "<p>".write(toFile: folder["index.html"], atomically: true, encoding: .utf8)
    let service = Service(settings: {
      $0.prefix = "/app/b"
      if hasPages { $0.folder = PageFolder(folder.path, hasFallback: true) }
    })
    for method in ["GET", "HEAD"] {
      let response = try service.ask(method, "/app/b?tab=1")
      #expect(response.status == 308)
      #expect(response[field: "Location"] == "/app/b/?tab=1")
    }
    #expect(try service.ask("POST", "/app/b").status == 404)
    #expect(try Service().ask("GET", "/app/b").problem == "404 not-found")
  }

  @Test(arguments: ["/app/bv1/reactors", "/app/v1/reactors", "/app", "/app/b/app/b/v1/reactors"])
  func `another prefix is an unknown path`(path: String) throws {
    #expect(try service.ask("GET", path).status == 404)
  }
}
