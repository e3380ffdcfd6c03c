import Foundation
import PublicTestData
import Testing

/// The conformance suite for clients, Tests/Tools/ClientConformance: the clients of this repository pass it,
/// and clients with one fault each fail it in the case of the fault.
@Suite(.blocking, .enabled(if: PublicTestData.isInstalled, "\(PublicTestData.isMissing)"))
struct ClientConformanceTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Tools/ClientConformance").standardizedFileURL

  private static func file(_ name: String) -> String { folder.appending(path: name).path }

  private func run(_ arguments: [String]) throws -> (exit: ChildProcess.Exit, output: String) {
    try PythonTool.run(
      "python", arguments, environment: ["TERMINAL_CLIENT": try ReactordProcess.path()])
  }

  private func check(_ driver: [String], options: [String] = []) throws {
    let (exit, output) = try run(
      [Self.file("conformance.py"), "--limit", "120"] + options + driver)
    #expect(exit == .code(0), "\(output)")
    #expect(output.contains("ok      resumes:"), "\(output)")
  }

  @Test func `the client for Python passes`() throws {
    try check([PublicTestData.python.path + "/bin/python", Self.file("drivers/python.py")])
  }

  @Test func `the client for Python receives parts, and the presence without the State`() throws {
    let session = try ReactordProcess.shared.get().session(of: "counter")
    let script = """
      import sys
      sys.path.insert(0, sys.argv[1])
      from reactord import Client
      with Client(sys.argv[2]) as client:
          session = client.session("counter", sys.argv[3])
          presence, values = session.presence(), session.states(select="/value")
          print(next(presence)["count"], next(values), next(presence)["count"])
          session.send({"add": 2})
          print(next(values))
          session.end()
          print(list(values), len([one for one in presence if one["count"] > 2]))
      """
    let module = Self.folder.appending(path: "../../../Sources/Client/Python").standardizedFileURL
    let (exit, output) = try run([
      "-c", script, module.path, "http://127.0.0.1:\(session.client.port)", session.id,
    ])
    #expect(exit == .code(0) && output == "1 0 2\n2\n[] 0\n", "\(output)")
  }

  @Test(arguments: [
    // An iterator that is left, with and without the end of the client.
    "with Client(url) as client: values = client.session('counter', id).states(); print(next(values))",
    "client = Client(url); values = client.session('counter', id).states(); print(next(values))",
    // A thread that waits for a value when the client ends.
    """
    import threading
    client = Client(url)
    values = client.session('counter', id).states()
    print(next(values))
    def wait():
        try:
            next(values)
        except RuntimeError as error:
            print(error)
    thread = threading.Thread(target=wait)
    thread.start()
    client.__exit__()
    thread.join()
    """,
  ])
  func `a program with the client for Python ends although a stream does not`(script: String) throws
  {
    let session = try ReactordProcess.shared.get().session(of: "counter")
    let module = Self.folder.appending(path: "../../../Sources/Client/Python").standardizedFileURL
    let (exit, output) = try run([
      "-c",
      "import sys\nsys.path.insert(0, sys.argv[1])\nfrom reactord import Client\n"
        + "url, id = sys.argv[2:]\n" + script,
      module.path, "http://127.0.0.1:\(session.client.port)", session.id,
    ])
    #expect(exit == .code(0), "\(output)")
    #expect(
      output == "{'value': 0}\n" + (script.contains("thread") ? "The client is closed.\n" : ""))
  }

  @Test func `the client for Swift passes, and reports the page of a network to its caller`() throws
  {
    try check(
      [try ReactordProcess.path(of: "ConformanceDriver")], options: ["--without", "repetition"])
  }

  @Test func `the client for the terminal passes but for the function of tokens`() throws {
    try check(["python3", Self.file("drivers/terminal.py")], options: ["--without", "tokens"])
  }

  @Test func `reactor_js passes`() throws {
    let browser = Self.file("drivers/browser.py")
    let (exit, output) = try run([
      browser, "--share", "python3", Self.file("conformance.py"), "--limit", "120", "--jobs", "1",
      "python3", browser,
    ])
    #expect(exit == .code(0), "\(output)")
    #expect(output.contains("ok      resumes:"), "\(output)")
  }

  @Test(arguments: [
    ("forgets_position", "resumes"), ("repeats_states", "resumes_repeatedly"),
    ("ignores_reset", "resets_same_history"), ("splits_characters", "reads_pieces"),
    ("never_ends", "ends"), ("gives_up", "resumes"), ("keeps_token", "renews"),
    ("fetches_tokens", "tolerates_clock"), ("renames_repetition", "sends_again"),
    ("never_repeats", "sends_after_unavailable"), ("repeats_rejections", "is_rejected"),
    ("believes_portals", "sends_past_portal"), ("hides_code", "is_rejected"),
  ])
  func `a client with a fault fails`(_ fault: String, _ case: String) throws {
    let driver = [
      PublicTestData.python.path + "/bin/python", Self.file("drivers/broken.py"), fault,
    ]
    let (exit, output) = try run(
      [Self.file("conformance.py"), "--limit", "15", "--case", `case`] + driver)
    #expect(exit == .code(1), "\(output)")
    #expect(output.contains("FAILED  \(`case`):"), "\(output)")
  }
}
