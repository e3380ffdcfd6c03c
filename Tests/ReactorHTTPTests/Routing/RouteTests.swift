import Testing

@testable import ReactorHTTP

struct RouteTests {
  @Test(
    arguments: [
      ("/", .page), ("/reactor.js", .pageFile(.client)),
      ("/inspector/tree.js", .pageFile(.inspectorTree)),
      ("/examples/", .examples), ("/examples/chat.html", .pageFile(.chat)),
      ("/v1/reactors/counter/types.ts", .types(reactor: "counter")),
      ("/page.css", .pageFile(.style)),
      ("/healthz", .health), ("/readyz", .readiness), ("/metrics", .metrics),
      ("/openapi.json", .openAPI),
      ("/problems/not-found", .problem("not-found")),
      ("/v1/reactors", .catalogue), ("/v1/reactors/counter", .reactor("counter")),
      ("/v1/reactors/counter/sessions", .sessions(reactor: "counter")),
      ("/v1/reactors/counter/sessions/a", .session(reactor: "counter", id: "a")),
      ("/v1/reactors/c%6Funter/sessions/%61", .session(reactor: "counter", id: "a")),
      ("/v1/reactors/counter/sessions/a%2Fb", .session(reactor: "counter", id: "a/b")),
      ("/v1/reactors/counter/sessions/%FF", .session(reactor: "counter", id: "")),
      ("/v1/reactors/counter/sessions/", .session(reactor: "counter", id: "")),
      ("/v1/reactors/counter/sessions/a/state", .state(reactor: "counter", id: "a")),
      ("/v1/reactors/counter/sessions/a/actions", .actions(reactor: "counter", id: "a")),
      ("/v1/reactors/counter/sessions/a/events", .events(reactor: "counter", id: "a")),
      ("/v1/reactors/counter/sessions/a/log", .log(reactor: "counter", id: "a")),
      ("/v1/reactors/counter/sessions/a/effects", .effects(reactor: "counter", id: "a")),
      (
        "/v1/reactors/counter/sessions/a/effects/b-1",
        .effect(reactor: "counter", id: "a", effect: "b-1")
      ),
      ("/v1/globals", .globals), ("/v1/globals/motto", .global("motto")),
      ("/v1/globals/motto/events", .globalEvents("motto")), ("/v1/events", .manyEvents),
      ("/v%31/re%61ctors", .catalogue), ("/he%61lthz", .health),
    ] as [(String, Route)])
  func `an address means`(path: String, route: Route) {
    #expect(Route(path: path) == route)
  }

  @Test(arguments: [
    "", "v1/reactors", "//", "/nothing", "/v1", "/v2/reactors", "/v1/reactors/c/other",
    "/v1/reactors/c/sessions/a/other", "/v1/reactors/c/sessions/a/state/more",
    "/v1/reactors/%FF", "/v1/reactors//sessions//state/x", "/healthz/", "*",
    "/v1/reactors/c/sessions/a/state/", "/a/b/c/d/e/f/g/h/i",
    "/v1/reactors/c/sessions/a/effects/", "/v1/reactors/c/sessions/a/effects/b/c",
    "/v1/reactors/c/sessions/a/effects/%FF", "/v1/reactors/c/sessions/a/log/b", "/%FF",
    "/inspector/%FF", "/v1/globals/motto/other", "/v1/globals/%FF/events", "/v1/%FF", "/v%3",
  ])
  func `nothing is at`(path: String) {
    #expect(Route(path: path) == nil)
  }

  @Test(arguments: [
    ("/v1/reactors", "GET, HEAD, OPTIONS"), ("/v1/reactors/c/sessions", "GET, HEAD, POST, OPTIONS"),
    ("/v1/reactors/c/sessions/a", "GET, HEAD, PUT, DELETE, OPTIONS"),
    ("/v1/reactors/c/sessions/a/actions", "POST, OPTIONS"),
    ("/v1/reactors/c/sessions/a/effects/b", "DELETE, OPTIONS"),
    ("/v1/globals/motto", "GET, HEAD, PUT, OPTIONS"),
  ])
  func `an address has the methods`(path: String, allowed: String) {
    #expect(Route(path: path)?.address.allowed == allowed)
  }
}
