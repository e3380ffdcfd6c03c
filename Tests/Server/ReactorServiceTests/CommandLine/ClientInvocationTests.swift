import Testing

@testable import ReactorService
@testable import TerminalClient

struct ClientInvocationTests {
  private static let url = "http://localhost:8080/v1/reactors/counter/sessions/demo"

  private func session() throws -> SessionURL { try #require(SessionURL(Self.url)) }

  @Test func `watch takes the URL of a session`() throws {
    guard case .watch(let task) = try CommandLineCase(arguments: ["watch", Self.url]).parse() else {
      Issue.record("not a watch command")
      return
    }
    #expect(
      task == WatchCommand(session: try session(), isJSON: false, fields: try RequestFields()))
  }

  @Test func `send takes the URL of a session and an action, with flags in any position`() throws {
    let line = CommandLineCase(arguments: ["send", "--wait", "3", Self.url, #"{"add":2}"#])
    guard case .send(let task) = try line.parse() else {
      Issue.record("not a send command")
      return
    }
    #expect(
      task
        == SendCommand(
          session: try session(), action: .text(#"{"add":2}"#), wait: 3,
          fields: try RequestFields()))
    guard case .send(let other) = try CommandLineCase(arguments: ["send", Self.url, "-"]).parse()
    else {
      Issue.record("not a send command")
      return
    }
    #expect(other.action == .standardInput)
  }

  @Test func `the commands take the file of a token, and fields`() throws {
    let flags = ["--token", "file", "--header", "X-Tenant: acme", "--header", "X-Empty:"]
    let fields = try RequestFields(tokenFile: "file", headers: ["X-Tenant: acme", "X-Empty:"])
    guard
      case .send(let send) = try CommandLineCase(arguments: ["send", Self.url, "x"] + flags)
        .parse(),
      case .watch(let watch) = try CommandLineCase(
        arguments: ["watch", Self.url] + flags
      ).parse()
    else {
      Issue.record("not the commands")
      return
    }
    #expect(send.fields == fields && watch.fields == fields)
  }

  @Test(arguments: ["", "X", "X Y: z", ": z", "X: a\nb", "Authorization: Bearer x"])
  func `a text that is no field is a usage error, and so is a credential`(_ text: String) throws {
    let line = CommandLineCase(arguments: ["watch", Self.url, "--header", text])
    let error = try #require(line.error())
    #expect(error.exitCode == 64)
  }

  @Test(arguments: [
    ["watch"], ["watch", url, "more"], ["watch", url, "--token"], ["watch", "--wait", "3", url],
    ["watch", "http://localhost"],
    ["send"], ["send", url], ["send", url, "increase", "more"],
    ["send", url, "increase", "--wait"],
    ["send", url, "increase", "--wait", "soon"], ["send", url, "increase", "--json"],
  ])
  func `invalid arguments are a usage error`(_ arguments: [String]) throws {
    let error = try #require(CommandLineCase(arguments: arguments).error())
    #expect(error.exitCode == 64)
  }

  @Test(arguments: [
    ("increase", #""increase""#), (#""increase""#, #""increase""#), (#"{"add":2}"#, #"{"add":2}"#),
    ("true", "true"), ("null", "null"), ("7", "7"), ("[]", "[]"), ("a b", "a b"), ("", ""),
  ])
  func `a single word is the name of a case`(_ text: String, _ json: String) {
    #expect(String(decoding: SendCommand.json(of: text), as: UTF8.self) == json)
  }
}
