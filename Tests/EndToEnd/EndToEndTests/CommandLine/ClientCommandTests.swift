import Glibc
import Testing

/// `reactord watch` and `reactord send`, against the real service.
@Suite(.blocking)
struct ClientCommandTests {
  let server: ReactordProcess
  let session: SessionClient
  let url: String

  init() throws {
    server = try ReactordProcess.shared.get()
    session = server.session(of: "counter")
    url = server.url + session.path
  }

  private func send(_ arguments: String...) throws -> (
    exit: ChildProcess.Exit, process: ChildProcess
  ) {
    let process = try ReactordProcess.launch(["send"] + arguments)
    return (try process.wait(), process)
  }

  private func expectOutput(
    _ lines: [String], of process: ChildProcess, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let text = lines.map { $0 + "\n" }.joined()
    _ = eventually { process.standardOutput == text }
    #expect(process.standardOutput == text, sourceLocation: sourceLocation)
  }

  @Test func `send prints the state after the action`() throws {
    for (action, state) in [
      ("increase", #"{"value":1}"#), (#"{"add":4}"#, #"{"value":5}"#),
      (#"["decrease","decrease"]"#, #"{"value":3}"#),
    ] {
      let (exit, process) = try send(url, action)
      #expect(exit == .code(0))
      #expect(process.standardOutput == state + "\n")
      #expect(process.standardError == "")
    }
  }

  @Test func `send reports errors with exit code 1`() throws {
    let (exit, process) = try send(url, "jump")
    #expect(exit == .code(1))
    #expect(process.standardOutput == "")
    #expect(process.standardError.hasPrefix("reactord: Not an action of this reactor. "))
    #expect(try send(server.url + "/v1/reactors/nothing/sessions/a", "x").exit == .code(1))
    #expect(try send(url, "{").exit == .code(1))
  }

  @Test func `send waits for a long effect no longer than --wait`() throws {
    let watch = server.session(of: "stopwatch")
    let (exit, process) = try send(server.url + watch.path, "start", "--wait", "0")
    #expect(exit == .code(0))
    #expect(process.standardError == "reactord: accepted; the effect is still running\n")
    try watch.post(#""stop""#)
  }

  @Test func `an unreachable service is exit code 69, an invalid command line 64`() throws {
    // No other process can listen at the port.
    let port = try ReservedPort()
    let gone = try ReactordProcess("--listen", port.address)
    try gone.stop()
    let watch = try ReactordProcess.launch(["watch", gone.url + session.path])
    #expect(try watch.wait() == .code(69))
    #expect(watch.standardError.contains("does not accept connections"))
    #expect(try send("demo", "increase").exit == .code(64))
    withExtendedLifetime(port) {}
  }

  @Test func `watch prints the State, and then each change`() throws {
    try session.post(#"{"add":2}"#)
    let watch = try ReactordProcess.launch(["watch", url])
    let first = try #require(try session.state().cursor)
    let name = session.path.split(separator: "/")[2] + "/" + session.id
    let start = ["\(name) \(first)", #"  {"value":2}"#]
    expectOutput(start, of: watch)
    try session.post(#""increase""#)
    let second = try #require(try session.state().cursor)
    expectOutput(start + ["\(name) \(second)", "  ~ /value 2 → 3"], of: watch)
    _ = try session.delete()
    #expect(try watch.wait() == .code(0))
    #expect(watch.standardOutput.hasSuffix("\(name) has ended\n"))
  }

  @Test func `watch prints every State as JSON for programs`() throws {
    let watch = try ReactordProcess.launch(["watch", "--json", url])
    expectOutput([#"{"value":0}"#], of: watch)
    try session.post(#"{"add":9007199254740993}"#)
    expectOutput([#"{"value":0}"#, #"{"value":9007199254740993}"#], of: watch)
  }

  @Test func `watch of an unknown or ended session is exit code 1`() throws {
    _ = try session.put()
    _ = try session.delete()
    for (path, reason) in [
      (session.path, "the session has ended"), ("/v1/reactors/nothing/sessions/a", "No reactor"),
    ] {
      let watch = try ReactordProcess.launch(["watch", server.url + path])
      #expect(try watch.wait() == .code(1))
      #expect(watch.standardError.contains(reason))
    }
  }

  @Test func `watch reconnects after a crash, and prints nothing twice`() throws {
    let folder = try TemporaryFolder()
    let store = "sqlite:" + folder["log.db"]
    let port = try ReservedPort()
    let own = try ReactordProcess("--listen", port.address, "--store", store)
    let session = own.session(of: "counter")
    try session.post(#""increase""#)
    let watch = try ReactordProcess.launch(["watch", "--json", own.url + session.path])
    expectOutput([#"{"value":1}"#], of: watch)
    own.process.signal(SIGKILL)
    try own.process.wait()
    _ = eventually { watch.standardError.contains("reconnecting") }
    let next = try ReactordProcess("--listen", port.address, "--store", store)
    try SessionClient(next.client(), session.path).post(#"{"add":5}"#)
    expectOutput([#"{"value":1}"#, #"{"value":6}"#], of: watch)
    #expect(watch.standardError.split(separator: "\n").count == 1)
  }

  @Test func `the proxies of the environment are used, but not for addresses of this machine`()
    throws
  {
    let page =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nETag: \"a-7\"\r\n"
      + "Content-Length: 11\r\n\r\n{\"value\":7}"
    let front = try Front(to: server.port, [page])
    let environment = ["http_proxy": front.url]
    let path = "http://reactord.test" + session.path
    let proxied = try ReactordProcess.launch(["send", path, "increase"], environment: environment)
    #expect(try proxied.wait() == .code(0), "\(proxied.standardError)")
    #expect(proxied.standardOutput == #"{"value":7}"# + "\n")
    #expect(front.isPassed)
    let direct = try ReactordProcess.launch(
      ["watch", path], environment: environment.merging(["no_proxy": "reactord.test"]) { $1 })
    #expect(try direct.wait() == .code(69))
    #expect(direct.standardError.contains("Could not resolve host: reactord.test"))
    let gateway = try Front(to: server.port, Array(Front.pages([403]).prefix(1)))
    let tunnelled = try ReactordProcess.launch(
      ["watch", "https://reactord.test" + session.path], environment: ["https_proxy": gateway.url])
    #expect(try tunnelled.wait() == .code(69))
    #expect(tunnelled.standardError.contains("CONNECT tunnel failed, response 403"))
    // Nothing listens at the port 1.
    let local = try ReactordProcess.launch(
      ["send", url, "increase"], environment: ["http_proxy": "http://127.0.0.1:1"])
    #expect(try local.wait() == .code(0), "\(local.standardError)")
  }

  @Test func `https trusts the authorities in SSL_CERT_FILE`() throws {
    let folder = try TemporaryFolder()
    let (key, certificate) = (folder["key.pem"], folder["certificate.pem"])
    let openssl = "/usr/bin/openssl"
    let creation = try ChildProcess(
      openssl,
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=test", "-days", "1",
        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
      ])
    #expect(try creation.wait() == .code(0))
    let other = try ChildProcess(
      openssl,
      ["s_server", "-accept", "127.0.0.1:0", "-www", "-key", key, "-cert", certificate])
    try #require(other.output(contains: "ACCEPT 127.0.0.1:"))
    let port = try #require(
      other.standardOutput.split(separator: "ACCEPT 127.0.0.1:").last?.prefix { $0.isNumber })
    let words = ["health", "--url", "https://127.0.0.1:\(port)/"]
    let untrusted = try ReactordProcess.launch(words)
    #expect(try untrusted.wait() == .code(1))
    #expect(untrusted.standardError.contains("self-signed certificate"))
    let trusted = try ReactordProcess.launch(words, environment: ["SSL_CERT_FILE": certificate])
    #expect(try trusted.wait() == .code(0), "\(trusted.standardError)")
  }

  @Test func `the page of a front is repeated by send, and skipped by a watch and by changes`()
    throws
  {
    let own = try ReactordProcess("--changes-keep", "60")
    let session = own.session(of: "counter")
    let port = own.port
    for status in [401, 403, 404, 500] {
      let front = try Front(to: port, Array(Front.pages([status]).prefix(2)))
      let (exit, process) = try send(front.url + session.path, #"{"add":1}"#)
      #expect(exit == .code(0), "\(process.standardError)")
      #expect(front.isPassed)
    }
    #expect(try session.state().text == #"{"value":4}"#)
    // At the start there is nothing to resume.
    let missing = try Front(to: port, Front.pages([404]))
    for arguments in [["watch", missing.url + session.path], ["changes", missing.url]] {
      let command = try ReactordProcess.launch(arguments)
      #expect(try command.wait() == .code(69))
      #expect(command.standardError.contains("The response is not one of reactord"))
    }
  }
}
