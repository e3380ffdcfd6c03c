import Foundation
import PublicTestData
import Testing

/// HTTP conformance as checked by REDbot, which requests an address in several forms, conditional ones
/// included, and reports its findings.
@Suite(.blocking, .enabled(if: PublicTestData.isInstalled, "\(PublicTestData.isMissing)"))
struct RedbotTests {
  /// REDbot's notes that a cache may store a response whose freshness the service does not limit.
  private static let unsaid: Set = ["FRESHNESS_HEURISTIC", "FRESHNESS_NONE", "STALE_SERVABLE"]

  /// REDbot's note that a response is sent completely each time: a response without a version has
  /// no entity tag.
  private static let whole = "FRESHNESS_NO_CACHE_NO_VALIDATOR"

  @Test(arguments: [
    "/", "/page.js", "/healthz", "/readyz", "/metrics", "/openapi.json", "/problems/not-found",
    "/v1/reactors", "/v1/reactors/counter", "/v1/reactors/counter/sessions", "/v1/globals",
    "/v1/globals/currentUser", "S", "S/state", "S/state?select=/value", "S/log", "/nothing",
  ])
  func `REDbot reports no problem with an address`(_ address: String) throws {
    let server = try ReactordProcess.shared.get()
    let session = server.session(of: "counter")
    try session.post(#""increase""#)
    let path = address.hasPrefix("S") ? session.path + address.dropFirst() : address
    let (exit, output) = try PythonTool.run("redbot", ["-o", "har", server.url + path])
    #expect(exit == .code(0), "\(output)")
    let notes = try JSON(parsing: output)["log"]?["entries"]?.array?
      .flatMap { $0["_red_messages"]?.array ?? [] }
    #expect(notes?.isEmpty == false)
    for note in notes ?? [] {
      let text = note["summary"]?.string ?? ""
      let id = note["note_id"]?.string ?? ""
      #expect(!["WARN", "BAD"].contains(note["level"]?.string) || id == Self.whole, "\(text)")
      #expect(!Self.unsaid.contains(id), "\(text)")
    }
  }
}
