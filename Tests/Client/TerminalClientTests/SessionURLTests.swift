import Testing

@testable import TerminalClient

struct SessionURLTests {
  @Test(arguments: [
    ("http://localhost:8080/v1/reactors/a/sessions/b", "", "v1/reactors/a/sessions/b"),
    ("http://localhost/v1/reactors/a/sessions/b/", "", "v1/reactors/a/sessions/b"),
    ("https://h/v1/reactors/a/sessions/b", "", "v1/reactors/a/sessions/b"),
    ("http://[::1]:81/v1/reactors/a/sessions/b/state", "", "v1/reactors/a/sessions/b"),
    ("http://proxy/host/v1/reactors/a/sessions/b/events", "/host", "v1/reactors/a/sessions/b"),
    ("http://localhost:8080/#/a/b", "", "v1/reactors/a/sessions/b"),
    ("http://proxy/host/#/a/b", "/host", "v1/reactors/a/sessions/b"),
  ])
  func `the path of a session is extracted from`(url: String, prefix: String, path: String) throws {
    let session = try #require(SessionURL(url))
    #expect(session.prefix == prefix)
    #expect(session.path == path)
  }

  @Test func `the name is the reactor and the session id`() {
    #expect(SessionURL("http://h/v1/reactors/counter/sessions/demo")?.name == "counter/demo")
    #expect(SessionURL("http://h/#/counter/demo")?.name == "counter/demo")
    #expect(SessionURL("http://h/#/counter/a%3Ab")?.key == "counter/a:b")
  }

  @Test(arguments: [
    "", "localhost:8080/v1/reactors/a/sessions/b", "ftp://h/v1/reactors/a/sessions/b",
    "http://h/",
    "http://h/v1/reactors/a/sessions/", "http://h/v1/reactors//sessions/b",
    "http://h/v1/reactors/a",
    "http://h/v1/reactors/a/sessions/b/state?version=3", "http://h/#/counter", "http://h/#//demo",
    "http://h/v1/reactors/a/sessions/b\r\nX: y",
  ])
  func `an invalid session URL is rejected`(url: String) {
    #expect(SessionURL(url) == nil)
  }
}
