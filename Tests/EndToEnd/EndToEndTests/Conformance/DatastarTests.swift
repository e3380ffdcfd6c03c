import Foundation
import PublicTestData
import Testing

/// The signals of `?format=datastar` as the SDK of the Datastar project writes them.
@Suite(.blocking, .enabled(if: PublicTestData.isInstalled, "\(PublicTestData.isMissing)"))
struct DatastarTests {
  /// Prints the event of each line of standard input: an id, a space and the JSON of the signals.
  private static let script = """
    import sys
    from datastar_py import ServerSentEventGenerator as SSE
    for line in open(sys.argv[1], encoding="utf-8", newline="\\n"):
        id, json = line.rstrip("\\n").split(" ", 1)
        sys.stdout.write(str(SSE.patch_signals(json, event_id=id)))
    """

  @Test func `the bytes of 200 events equal those of the SDK`() throws {
    let server = try ReactordProcess.shared.get()
    let session = server.session(of: "chat")
    try session.post(#"{"join":"Ada"}"#)
    let stream = try session.events("?format=datastar&into=room")
    for number in 1...200 {
      let text = String((0..<number % 17).map { _ in "aé😀\"\\\n<&$@`".randomElement() ?? "a" })
      let body = try JSONSerialization.data(
        withJSONObject: ["send": ["from": "Ada", "text": "\(number)" + text]])
      try session.post(String(decoding: body, as: UTF8.self), ["Prefer": "return=minimal"])
    }
    var lines = ""
    var received = ""
    while let event = try stream.nextEvent(), let id = event.id {
      let data = try #require(event.data)
      received += "event: \(event.event ?? "")\nid: \(id)\ndata: \(data)\n\n"
      lines += "\(id) \(data.dropFirst("signals ".count))\n"
      if event.cursor?.version ?? 0 > 200 { break }
    }
    let folder = try TemporaryFolder()
    try Self.script.write(toFile: folder["sdk.py"], atomically: true, encoding: .utf8)
    try lines.write(toFile: folder["signals"], atomically: true, encoding: .utf8)
    let (exit, output) = try PythonTool.run("python", [folder["sdk.py"], folder["signals"]])
    #expect(exit == .code(0), "\(output)")
    #expect(output == received)
    #expect(received.hasPrefix("event: datastar-patch-signals\nid: "))
  }

  @Test func `the header field of the client requests signals`() throws {
    let server = try ReactordProcess.shared.get()
    let session = server.session(of: "counter")
    let stream = try session.events("", ["Datastar-Request": "true"])
    #expect(try stream.nextEvent()?.data == #"signals {"value":0}"#)
    try session.post(#""increase""#)
    #expect(try stream.nextEvent()?.data == #"signals {"value":1}"#)
  }
}
