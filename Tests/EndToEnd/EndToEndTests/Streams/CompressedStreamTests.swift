import Foundation
import Testing

/// Streams of States in the gzip format.
@Suite(.blocking)
struct CompressedStreamTests {
  /// A chat whose State has about 6 KB.
  private func room(_ server: ReactordProcess) throws -> SessionClient {
    let session = server.session(of: "chat")
    try session.post(#"{"join":"Ada"}"#)
    let messages = (0..<60).map {
      #"{"send":{"from":"Ada","text":"message \#($0) \#(String(UInt64.random(in: 0 ... .max)))"}}"#
    }
    try session.post("[" + messages.joined(separator: ",") + "]")
    return session
  }

  /// Reads a stream with zlib until it ends; writes the size of each form, and whether the checksum is right.
  private static let reader = """
    import hashlib, http.client, sys, zlib
    port, path, encoding = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", path, headers={"Accept-Encoding": encoding})
    response = connection.getresponse()
    unpacked = zlib.decompressobj(31)
    is_packed = response.headers["Content-Encoding"] == "gzip"
    count, text = 0, b""
    print("open", is_packed, flush=True)
    while part := response.read1():
        count += len(part)
        text += unpacked.decompress(part) if is_packed else part
        if b"MARK" in text and text.endswith(b"\\n:\\n\\n"): print("beat", flush=True)
        if b"ENOUGH" in text: print("enough", flush=True)
    ids = [line for line in text.split(b"\\n") if line[:3] == b"id:"]
    data = [line for line in text.split(b"\\n") if line[:5] == b"data:" and len(line) > 99]
    print("is complete", unpacked.eof and not unpacked.unused_data)
    print("bytes", count)
    print("events", len(ids), hashlib.sha256(b"".join(ids + data)).hexdigest())
    """

  private func read(_ session: SessionClient, _ server: ReactordProcess, _ encoding: String) throws
    -> ChildProcess
  {
    let reader = try ChildProcess(
      "/usr/bin/python3",
      ["-c", Self.reader, "\(server.port)", session.path + "/events", encoding])
    #expect(reader.output(contains: "open"))
    return reader
  }

  private func value(_ name: String, _ output: String) -> String? {
    output.split(separator: "\n").last { $0.hasPrefix(name + " ") }
      .map { String($0.dropFirst(name.count + 1)) }
  }

  @Test func `a compressed stream has the events of a plain one, in a tenth of the bytes`() throws {
    // The heartbeats are so far apart that few of the messages below follow one, also on a busy machine:
    // the event after a heartbeat is larger.
    let server = try ReactordProcess("--streams-heartbeat", "5")
    let session = try room(server)
    let plain = try read(session, server, "identity")
    let packed = try read(session, server, "gzip, deflate, br, zstd")
    for index in 0..<40 {
      try session.post(#"{"send":{"from":"Ada","text":"\#(index) \#(UUID())"}}"#)
    }
    // A client that joins later shares the blocks from then on.
    let joined = try read(session, server, "gzip")
    for index in 0..<40 {
      try session.post(#"{"send":{"from":"Ada","text":"\#(index) \#(UUID())"}}"#)
    }
    // After heartbeats, an event refers to nothing before it.
    try session.post(#"{"send":{"from":"Ada","text":"MARK"}}"#)
    for reader in [plain, packed, joined] { #expect(reader.output(contains: "beat")) }
    try session.post(#"{"send":{"from":"Ada","text":"ENOUGH"}}"#)
    for reader in [plain, packed, joined] { #expect(reader.output(contains: "enough")) }
    #expect(try session.client.send("DELETE", session.path).status == 204)
    for reader in [plain, packed, joined] { #expect(try reader.wait() == .code(0)) }

    #expect(value("open", plain.standardOutput) == "False")
    for reader in [packed, joined] {
      #expect(value("open", reader.standardOutput) == "True")
      #expect(value("is complete", reader.standardOutput) == "True")
    }
    #expect(
      value("events", packed.standardOutput) == value("events", plain.standardOutput))
    let bytes = [packed, plain].compactMap { value("bytes", $0.standardOutput).flatMap(Int.init) }
    #expect(bytes.count == 2 && bytes[0] * 10 <= bytes[1], "\(bytes)")
  }

  @Test func `curl unpacks a stream while it continues`() throws {
    let server = try ReactordProcess()
    let session = try room(server)
    let curl = try ChildProcess(
      "/usr/bin/curl", ["-sSN", "--compressed", "-i", server.url + session.path + "/events"])
    #expect(curl.output(contains: "message 59"))
    #expect(curl.standardOutput.contains("Content-Encoding: gzip"))
    try session.post(#"{"send":{"from":"Ada","text":"a later one"}}"#)
    #expect(curl.output(contains: "a later one"))
    #expect(try session.client.send("DELETE", session.path).status == 204)
    #expect(try curl.wait() == .code(0))
    #expect(curl.standardOutput.contains("event: end"))
  }

  @Test func `other views, small States and clients that do not ask get plain streams`() throws {
    let server = try ReactordProcess()
    let session = try room(server)
    for query in [
      "?delta=patch", "?delta=merge", "?old=true", "?select=/messages", "?format=datastar",
      "?replay=all",
    ] {
      let stream = try session.events(query, ["Accept-Encoding": "gzip"])
      #expect(stream.head["Content-Encoding"] == nil, "\(query)")
    }
    #expect(try session.events("").head["Content-Encoding"] == nil)
    let small = server.session(of: "counter")
    #expect(
      try small.events("", ["Accept-Encoding": "gzip"]).head["Content-Encoding"] == nil)
    let without = try ReactordProcess("--http-compression", "0")
    #expect(
      try room(without).events("", ["Accept-Encoding": "gzip"]).head["Content-Encoding"] == nil)
  }
}

extension GalleryBrowserTests {
  struct CompressedStreamTests {
    @Test func `EventSource and the client for pages read compressed streams`() throws {
      let server = try ReactordProcess("--http-compression", "1")
      let session = server.session(of: "counter")
      let browser = try Browser()
      try browser.open(server.url + "/examples/counter.html?session=\(session.id)")
      try browser.run(
        """
        window.seen = [];
        new EventSource(arguments[0]).onmessage = ({ data }) => window.seen.push(JSON.parse(data).value);
        """, .string(session.path + "/events"))
      try browser.expect("return window.seen.join()", is: "0")
      for value in 1...3 {
        try session.post(#""increase""#)
        try browser.expect("return window.seen.at(-1)", is: .number(Double(value)))
        try browser.expect(
          "return document.getElementById('value').textContent", is: .string("\(value)"))
      }
      try browser.expect("return window.seen.join()", is: "0,1,2,3")
      let stream = try session.events("", ["Accept-Encoding": "gzip, deflate, br, zstd"])
      #expect(stream.head["Content-Encoding"] == "gzip")
    }
  }
}
