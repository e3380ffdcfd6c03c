import Testing

@testable import ReactorService

struct HealthProbeTests {
  @Test(arguments: [
    ("http://127.0.0.1:8080", "127.0.0.1:8080", "/healthz"),
    ("http://127.0.0.1:8080/", "127.0.0.1:8080", "/healthz"),
    ("http://localhost", "localhost:80", "/healthz"),
    ("http://[::1]/readyz?x", "[::1]:80", "/readyz?x"),
  ])
  func `a URL is read`(_ url: String, _ address: String, _ path: String) throws {
    let probe = try #require(HealthProbe(url: url))
    #expect(probe.address.description == address)
    #expect(probe.path == path)
  }

  @Test(arguments: [
    "", "localhost", "https://localhost", "http://", "http:///healthz", "http://localhost:x/",
    "http://localhost/a b", "http://localhost/\r\nX: y", "http://a@b/",
  ])
  func `what is no URL is refused`(_ url: String) {
    #expect(HealthProbe(url: url) == nil)
  }

  @Test func `the request asks for one answer and the end`() throws {
    let probe = try #require(HealthProbe(url: "http://[::1]:81/readyz"))
    #expect(
      String(decoding: probe.request, as: UTF8.self)
        == "GET /readyz HTTP/1.1\r\nHost: [::1]:81\r\nConnection: close\r\n\r\n")
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nA: b", 200), ("HTTP/1.0 503\r\n", 503), ("HTTP/1.1 200 \n", 200),
    ("", nil), ("HTTP/1.1", nil), ("HTTP/2 200\r\n", nil), ("HTTP/1.1 20 OK", nil),
    ("HTTP/1.1 2000 OK", nil), ("HTTP/1.1 abc OK", nil), ("SSH-2.0 200 x", nil),
  ])
  func `a status line is read`(_ answer: String, _ status: Int?) {
    #expect(HealthProbe.status(of: answer.utf8) == status)
  }
}
