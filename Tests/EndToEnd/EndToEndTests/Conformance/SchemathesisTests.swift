import Foundation
import PublicTestData
import Testing

/// The service against its own specification: `/openapi.json` is validated, and schemathesis generates
/// valid and invalid requests from it.
@Suite(.blocking, .enabled(if: PublicTestData.isInstalled, "\(PublicTestData.isMissing)"))
struct SchemathesisTests {
  private static let examples =
    ProcessInfo.processInfo.environment["SCHEMATHESIS_EXAMPLES"] ?? "20"
  private static let configuration = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../../config/schemathesis.toml").standardizedFileURL.path

  let server: ReactordProcess

  init() throws {
    // Use a server of its own, so that the sessions of other tests are not disturbed. The wait for
    // actions is as short as a test that observes it allows.
    server = try ReactordProcess("--actions-wait", "0.2", "--changes-keep", "60")
  }

  @Test func `the specification is valid OpenAPI 3_1`() throws {
    let folder = try TemporaryFolder()
    let document = try server.client().get("/openapi.json")
    try document.text.write(toFile: folder["openapi.json"], atomically: true, encoding: .utf8)
    let (exit, output) = try PythonTool.run("openapi-spec-validator", [folder["openapi.json"]])
    #expect(exit == .code(0), "\(output)")
  }

  @Test func `the service responds as its specification states`() throws {
    let folder = try TemporaryFolder()
    // The timeout ends requests of streams, of which there are many, and must therefore be short.
    let (exit, output) = try PythonTool.run(
      "schemathesis",
      [
        "--config-file", Self.configuration, "run", server.url + "/openapi.json",
        "--checks", "all", "--phases", "examples,coverage,fuzzing",
        "--max-examples", Self.examples, "--seed", "1", "--generation-database", "none",
        "--continue-on-failure", "--no-shrink", "--warnings", "off", "--request-timeout", "10",
        "--report-dir", folder.path,
      ])
    #expect(exit == .code(0), "\(output)")
    #expect(output.contains("✅ Fuzzing"), "\(output)")
    #expect(try server.client().get("/healthz").status == 200)
  }
}
