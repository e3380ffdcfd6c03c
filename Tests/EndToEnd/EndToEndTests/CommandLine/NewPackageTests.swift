import Foundation
import Testing

/// `reactord new`.
///
/// The package that it writes, Tests/Examples/NewPackage, is compiled and tested with the project.
@Suite(.blocking) struct NewPackageTests {
  private static let root = Guide.root

  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func shell(_ command: String) throws -> (exit: ChildProcess.Exit, process: ChildProcess) {
    let process = try ChildProcess("/bin/sh", ["-c", "cd '\(folder.path)' && exec \(command)"])
    return (try process.wait(), process)
  }

  private func new(_ arguments: String) throws -> (exit: ChildProcess.Exit, process: ChildProcess) {
    try shell("\(try ReactordProcess.path()) new \(arguments)")
  }

  @Test func `the package is written and its manifest resolves`() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder["reactord"], withDestinationPath: Self.root.path)
    let (exit, process) = try new("todo")
    #expect(exit == .code(0), "\(process.standardError)")
    #expect(process.standardOutput.contains("cd todo\n"))
    let difference = try shell("diff -r '\(Self.root.path)/Tests/Examples/NewPackage' todo")
    #expect(difference.exit == .code(0), "\(difference.process.standardOutput)")

    let described = try shell("swift package --package-path todo describe")
    #expect(described.exit == .code(0), "\(described.process.standardError)")
    #expect(described.process.standardOutput.contains("TodoReactorsTests"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
  }

  @Test func `a folder that exists is left as it is`() throws {
    try FileManager.default.createDirectory(
      atPath: folder["todo"], withIntermediateDirectories: false)
    let (exit, process) = try new("todo")
    #expect(exit == .code(73))
    #expect(process.standardError == "reactord: todo exists; choose another name or remove it\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["todo"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder["todo"]).isEmpty)
  }

  /// A process with ThreadSanitizer cannot start without writing files.
  @Test(.enabled(if: !Sanitizer.isUsed))
  func `a folder that cannot be written leaves nothing behind`() throws {
    let (exit, process) = try shell(
      "sh -c 'ulimit -f 0; trap \"\" XFSZ; exec \(try ReactordProcess.path()) new todo'"
    )
    #expect(exit == .code(73))
    #expect(process.standardError.hasPrefix("reactord: cannot write"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test(arguments: [
    "", "Todo", "../todo", "a b", "todo --package", "todo --size 3", "todo more",
    "todo --package ''", "todo --package --rx", "reactord --package ../reactord",
    "todo --package '/a b/reactord'",
  ])
  func `a wrong command line is rejected`(arguments: String) throws {
    let (exit, process) = try new(arguments)
    #expect(exit == .code(64))
    #expect(process.standardError.hasPrefix("reactord: "))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func `the daemon of the package responds to the commands of its page`() throws {
    let service = try ReactordProcess("--store", "memory", program: "todo")
    let home = SessionClient(service.client(), "/v1/reactors/todo/sessions/home")
    #expect(
      try home.post(#"{"add":"Buy milk"}"#).text
        == #"{"items":[{"title":"Buy milk","isDone":false}]}"#)
    #expect(
      try home.post(#"{"finish":0}"#).text == #"{"items":[{"title":"Buy milk","isDone":true}]}"#)
    #expect(try home.post(#"{"finish":7}"#).status == 404)
  }
}
