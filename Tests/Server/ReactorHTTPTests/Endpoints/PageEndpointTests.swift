import Foundation
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// Pages of paths without a resource, and the announced heartbeat.
struct PageEndpointTests {
  @Test(arguments: [
    "/nothing", "/examples/nothing", "/v1/nothing", "/inspector/nothing.js", "/problems/nothing",
  ])
  func `a browser receives a page that links to the start page`(path: String) throws {
    let response = try Service().ask(
      "GET", path, [(.accept, "text/html,application/xhtml+xml,*/*;q=0.8")])
    #expect(response.status == 404)
    #expect(response[field: "Content-Type"] == "text/html; charset=utf-8")
    #expect(response[field: "Cache-Control"] == "no-store")
    #expect(response[field: "Content-Security-Policy"] != nil)
    let depth = path.dropFirst().count { $0 == "/" }
    let root = depth == 0 ? "./" : String(repeating: "../", count: depth)
    #expect(response.text.contains("<a href=\"\(root)\">"))
    #expect(response.problem == nil)
  }

  @Test(arguments: [
    ("GET", "*/*"), ("GET", "application/json"), ("GET", "text/html;q=0.4, */*;q=0.5"),
    ("POST", "text/html"), ("DELETE", "text/html"),
  ])
  func `other clients receive a problem`(method: String, accept: String) throws {
    let response = try Service().ask(method, "/nothing", [(.accept, accept)])
    #expect(response.problem == "404 not-found")
  }

  @Test(arguments: ["/", "/page.css", "/inspector/tree.js", "/examples/chat.html"])
  func `a client that has the contents of a file gets 304, until they change`(path: String) throws {
    let service = Service()
    let first = try service.ask("GET", path)
    let tag = try #require(first[field: "ETag"])
    #expect(first.status == 200 && tag.hasPrefix("\""))
    for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*", "\(tag.dropLast())+gzip\""] {
      let second = try service.ask("GET", path, [(.ifNoneMatch, known)])
      #expect(second.status == 304)
      #expect(second.text.isEmpty)
      #expect(second[field: "ETag"] == (known.hasSuffix("+gzip\"") ? known : tag))
      #expect(second[field: "Cache-Control"] == "no-cache")
    }
    let changed = Service(settings: {
      $0.files = StaticFiles([
        StaticFile(path: String(path.dropFirst()), mediaType: "text/html", content: [33])
      ])
    })
    #expect(try changed.ask("GET", path, [(.ifNoneMatch, tag)]).status == 200)
    #expect(try service.ask("GET", path, [(.ifNoneMatch, "x")]).problem == "400 invalid-parameter")
  }

  @Test func `the list of problem types links to the page of each, with code as code`() throws {
    let list = try Service().ask("GET", "/problems/").text
    for kind in ProblemKind.allCases {
      #expect(list.contains("<a href=\"\(kind.rawValue)\">"))
      let page = try Service().ask("GET", "/problems/\(kind.rawValue)").text
      #expect(page.contains("<h1>\(kind.title)</h1>") && !page.contains("`"))
      #expect(
        page.components(separatedBy: "<code>").count
          == page.components(separatedBy: "</code>").count)
    }
    let page = try Service().ask("GET", "/problems/rate-limited").text
    #expect(page.contains("than <code>limits.rate</code> allows"))
  }

  @Test func `a problem page links to the start page, if there is one`() throws {
    let link = #"<a href="../">"#
    #expect(try Service().ask("GET", "/problems/not-found").text.contains(link))
    let withoutPages = Service(settings: { $0.files = StaticFiles() })
    #expect(try !withoutPages.ask("GET", "/problems/not-found").text.contains(link))
  }

  @Test(
    arguments: [
      (nil, nil), (Duration.seconds(15), "15"), (.milliseconds(1_500), "1.5"),
      (.seconds(3_600), "3600"),
    ] as [(Duration?, String?)])
  func `streams announce the interval of their heartbeats`(
    heartbeat: Duration?, expected: String?
  ) throws {
    let service = Service(settings: { $0.heartbeat = heartbeat })
    for path in [
      "\(Service.root)/demo/events", "/v1/events?session=number/demo", "/v1/globals/motto/events",
    ] {
      #expect(try service.ask("GET", path)[field: "Heartbeat-Interval"] == expected)
    }
    #expect(
      try service.ask("GET", "\(Service.root)/demo/state")[field: "Heartbeat-Interval"] == nil)
  }
}
