import Foundation
import PublicTestData
import Testing

/// Clients that openapi-python-client generates send each example action and decode each response.
///
/// One is of the service, and one of each reactor. `make generators` does the same with openapi-generator.
@Suite(.blocking, .enabled(if: PublicTestData.isInstalled, "\(PublicTestData.isMissing)"))
struct GeneratedClientTests {
  private static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Tools/GeneratedClients/openapi_python_client.py").standardizedFileURL

  @Test func `generated clients send each example action and decode each response`() throws {
    // The effect of a stopwatch that starts has no end: its response comes after the wait.
    let server = try ReactordProcess("--actions-wait", "0.5")
    let folder = try TemporaryFolder()
    let (exit, output) = try PythonTool.run(
      "python", [Self.script.path, server.url, folder.path])
    #expect(exit == .code(0), "\(output)")
    let counts = try JSON(parsing: output)
    #expect(counts["reactors"]?.int == 11)
    #expect(counts["actions"]?.int == 96)
    #expect(counts["events"]?.int == 22)
  }

  @Test func `the document of a reactor that is not hosted is 404`() throws {
    let server = try ReactordProcess.shared.get().client()
    try expectProblem(try server.get("/openapi.json?reactor=nothing"), 404, "unknown-reactor")
  }
}
