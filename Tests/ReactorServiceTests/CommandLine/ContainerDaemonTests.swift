import FoundationEssentials
import Testing

@testable import ReactorService
@testable import TerminalClient

struct ContainerDaemonTests {
  /// Writes a process folder and returns the address that the health check uses.
  private func address(arguments: [String], environment: [String: String]) throws -> String? {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(
      at: folder.appending(path: "cwd"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data((["reactord"] + arguments).map { $0 + "\0" }.joined().utf8)
      .write(to: folder.appending(path: "cmdline"))
    try Data(environment.map { "\($0)=\($1)\0" }.joined().utf8)
      .write(to: folder.appending(path: "environ"))
    try Data("{ listen: '[::]:83' }".utf8).write(to: folder.appending(path: "cwd/file.json5"))
    return ContainerDaemon(folder: folder.path).probe(settings: [])?.address.description
  }

  @Test func `the address of the daemon is read from its arguments and environment`() throws {
    let environment = ["REACTORD_LISTEN": "0.0.0.0:8080", "PATH": "/bin"]
    #expect(try address(arguments: ["serve"], environment: environment) == "127.0.0.1:8080")
    #expect(
      try address(arguments: ["serve", "--listen", "0.0.0.0:9000"], environment: environment)
        == "127.0.0.1:9000")
  }

  @Test func `a relative configuration file is read from the folder of the daemon`() throws {
    #expect(
      try address(arguments: ["serve", "--config", "file.json5"], environment: [:]) == "[::1]:83")
  }

  @Test func `a process without a valid configuration is ignored`() throws {
    #expect(try address(arguments: ["serve", "--nope"], environment: [:]) == nil)
    #expect(try address(arguments: ["watch"], environment: [:]) == nil)
  }
}
