import Foundation
import Testing

extension GalleryBrowserTests {
  /// The examples of services that require a token, or host other reactors.
  struct ExampleAccessTests {
    @Test(arguments: ["counter", "profile", "weather", "chat", "stopwatch", "auction", "order"])
    func `an example asks for a token and starts with it`(name: String) throws {
      let folder = try TemporaryFolder()
      let file = folder["tokens"]
      try "the-token-of-all-reactors admin\n".write(toFile: file, atomically: true, encoding: .utf8)
      let server = try ReactordProcess("--auth-tokens", file)
      let browser = try Browser()
      try browser.open("\(server.url)/examples/\(name).html")
      try browser.type("not-a-valid-token", into: "return document.querySelector('#token')")
      try browser.press(.enter)
      // The form is replaced when the token is rejected.
      try browser.expect("return document.querySelector('#token')?.value", is: "")
      try browser.type("the-token-of-all-reactors", into: "return document.querySelector('#token')")
      try browser.press(.enter)
      try browser.expect("return document.querySelector('#token')", is: nil)
      #expect(
        try eventually {
          let metrics = try server.client().get(
            "/metrics", ["Authorization": "Bearer the-token-of-all-reactors"])
          return metrics.text.contains("\nreactord_streams 1\n")
        })
    }

    @Test func `the gallery asks for a token once, also for the frames`() throws {
      let folder = try TemporaryFolder()
      let file = folder["tokens"]
      try "the-token-of-all-reactors admin\n".write(toFile: file, atomically: true, encoding: .utf8)
      let server = try ReactordProcess("--auth-tokens", file)
      let browser = try Browser()
      try browser.open("\(server.url)/examples/#counter")
      try browser.type("the-token-of-all-reactors", into: "return document.querySelector('#token')")
      try browser.press(.enter)
      try browser.expect(
        "return document.querySelector('iframe')?.contentDocument?.querySelector('#connection')?.textContent",
        is: "live")
      #expect(try browser.run("return document.querySelectorAll('#source section').length") == 2)
    }

    @Test(arguments: ["room", "faulty"])
    func `a service with reactors of its own links to no examples`(program: String) throws {
      // One reactor of "faulty" has the name of a shipped reactor.
      let server = try ReactordProcess(program: program)
      let browser = try Browser()
      try browser.open(server.url + "/")
      try browser.expect("return document.querySelectorAll('#reactors a').length > 0", is: true)
      try browser.expect(
        "return document.querySelector('#examples-link').checkVisibility()", is: false)
      try browser.open(server.url + "/examples/")
      try browser.expect("return document.querySelector('#title').textContent", is: "No examples")
      #expect(try browser.run("return document.querySelectorAll('iframe').length") == 0)
      let name = try server.client().get("/v1/reactors").json["reactors"]?.array?.last?["name"]
      try browser.open("\(server.url)/#/\(name?.string ?? "")/demo")
      try browser.expect("return document.querySelector('#session').hidden", is: false)
      try browser.expect(
        "return document.querySelector('#example-link').checkVisibility()", is: false)
      #expect(try browser.complaints() == [])
    }
  }
}
