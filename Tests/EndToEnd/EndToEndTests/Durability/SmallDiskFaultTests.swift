import Foundation
import Testing

/// A disk that other files fill.
@Suite(.blocking, .enabled(if: SmallDisk.isPermitted, "a disk cannot be mounted here"))
struct SmallDiskFaultTests {
  @Test func `actions are rejected without room, and stored when there is room again`() throws {
    let disk = try SmallDisk()
    let store = "sqlite:\(disk.folder["log.db"])"
    let filler = try disk.take(bytes: 1_200_000)
    let server = try ReactordProcess("--store", store)
    let session = server.session(of: "counter")
    var kept = 0
    for _ in 0..<2000 {
      let response = try session.post(#""increase""#)
      guard response.status == 200 else {
        try expectProblem(response, 507, "storage-full")
        break
      }
      kept += 1
    }
    #expect((1..<2000).contains(kept))
    #expect(try session.state().json == ["value": .number(Double(kept))])

    try FileManager.default.removeItem(atPath: filler)
    #expect(try session.post(#""increase""#).json == ["value": .number(Double(kept + 1))])
    server.process.kill()
    try server.process.wait()
    let again = try ReactordProcess("--store", store)
    let state = try SessionClient(again.client(), session.path).state()
    #expect(try state.json == ["value": .number(Double(kept + 1))])
    try again.stop()
  }
}
