import Foundation
import Testing

/// The programs of the samples in `config/deployment/proxies`, unpacked or installed.
enum Proxy: String, CaseIterable, CustomTestStringConvertible {
  case nginx = "nginx.conf"
  case haproxy = "haproxy.cfg"
  case caddy = "Caddyfile"

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../../.build/prometheus").standardizedFileURL.path

  /// The folders of the unpacked libraries, whose names have that of the processor.
  static let libraries: String = {
    let all = folder + "/usr/lib"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: all)) ?? []
    return names.filter { $0.contains("-linux-") }.map { "\(all)/\($0)" }.joined(separator: ":")
  }()

  var testDescription: String { rawValue }

  var program: String? {
    let path = self == .caddy ? "/usr/bin/caddy" : "/usr/sbin/\(self)"
    return [Self.folder + path, path].first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// The sample with the ports and files of a test.
  func configuration(port: UInt16, service: UInt16, in folder: TemporaryFolder) throws -> String {
    let path = "../../../../config/deployment/proxies/\(rawValue)"
    let sample = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: path)
    var text = try String(contentsOf: sample, encoding: .utf8)
    var changes: [(String, String)] = [
      (":8080", ":\(service)"), ("/etc/ssl/example.com.pem", folder["both.pem"]),
    ]
    switch self {
    case .nginx:
      let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map { "\($0)_temp_path \(folder[$0]); " }.joined()
      changes.append(("http {", "http { " + folders))
      changes.append(("listen 443", "listen 127.0.0.1:\(port)"))
    case .haproxy: changes.append(("bind :443", "bind 127.0.0.1:\(port)"))
    case .caddy: changes.append(("example.com {", "example.com:\(port) {\n\tbind 127.0.0.1"))
    }
    if self != .haproxy {
      changes.append(("/etc/ssl/example.com.key", folder["key.pem"]))
    }
    for (old, new) in changes {
      let parts = text.components(separatedBy: old)
      try #require(parts.count > 1, "\(rawValue) has no \(old)")
      text = parts.joined(separator: new)
    }
    if self == .caddy { text = "{\n\tadmin off\n\tauto_https disable_redirects\n}\n" + text }
    return text
  }

  func arguments(_ file: String, _ folder: TemporaryFolder) -> [String] {
    switch self {
    case .nginx:
      ["-p", folder.path, "-c", file, "-e", "stderr", "-g", "daemon off; pid \(folder["pid"]);"]
    case .haproxy: ["-db", "-f", file]
    case .caddy: ["run", "--adapter", "caddyfile", "--config", file]
    }
  }
}

/// The samples for proxies pass actions, streams and their ends, and the address of the client.
@Suite(.blocking, .enabled(if: Proxy.allCases.allSatisfy { $0.program != nil }))
struct ProxySampleTests {
  @Test(arguments: Proxy.allCases)
  func `a client behind the proxy acts, streams and goes away`(_ proxy: Proxy) throws {
    let folder = try TemporaryFolder()
    let server = try ReactordProcess(
      "--http-proxies", "127.0.0.1", "--http-forwarded", "x-forwarded-for", "--http-hosts",
      "example.com,127.0.0.1", "--log-access", "info")
    let openssl = try ChildProcess(
      "/usr/bin/openssl",
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=example.com", "-addext",
        "subjectAltName=DNS:example.com", "-days", "1", "-keyout", folder["key.pem"], "-out",
        folder["certificate.pem"],
      ])
    try #require(try openssl.wait() == .code(0))
    // HAProxy reads the certificate and the key from one file.
    let both = try ["certificate.pem", "key.pem"].map {
      try String(contentsOfFile: folder[$0], encoding: .utf8)
    }
    try both.joined().write(toFile: folder["both.pem"], atomically: true, encoding: .utf8)

    let reserved = try ReservedPort()
    let port = try #require(reserved.address.split(separator: ":").last.flatMap { UInt16($0) })
    try proxy.configuration(port: port, service: server.port, in: folder)
      .write(toFile: folder["configuration"], atomically: true, encoding: .utf8)
    let process = try ChildProcess(
      try #require(proxy.program), proxy.arguments(folder["configuration"], folder),
      environment: [
        "LD_LIBRARY_PATH": Proxy.libraries, "HOME": folder.path,
        "XDG_DATA_HOME": folder.path, "XDG_CONFIG_HOME": folder.path,
      ])

    let session = "https://example.com:\(port)/v1/reactors/counter/sessions/\(proxy)"
    func curl(_ arguments: String...) throws -> ChildProcess {
      try ChildProcess(
        "/usr/bin/curl",
        [
          "-sS", "--no-buffer", "--cacert", folder["certificate.pem"], "--interface", "127.0.0.9",
          "--resolve", "example.com:\(port):127.0.0.1", "-H", "X-Forwarded-For: 192.0.2.1",
        ] + arguments)
    }
    func act() throws -> String {
      let client = try curl("--json", #""increase""#, session + "/actions")
      return try client.wait() == .code(0) ? client.standardOutput : client.standardError
    }
    let isServing = eventually {
      (try? curl("-f", session + "/state").wait()) == .code(0) || !process.isRunning
    }
    try #require(isServing && process.isRunning, "\(process.standardError)")

    #expect(try act() == #"{"value":1}"#)
    // The address of the client, and not the one that it claims.
    #expect(eventually { server.standardError.contains("client=127.0.0.9") })
    #expect(!server.standardError.contains("192.0.2.1"))

    let stream = try curl(session + "/events")
    // The events pass while the response continues.
    #expect(stream.output(contains: #"data: {"value":1}"#), "\(stream.standardError)")
    #expect(try act() == #"{"value":2}"#)
    #expect(stream.output(contains: #"data: {"value":2}"#))
    #expect(stream.isRunning)
    let metrics = { try? server.client().get("/metrics").text }
    #expect(metrics()?.contains("\nreactord_streams 1\n") == true)

    // A client that goes away ends its stream.
    stream.kill()
    #expect(eventually { metrics()?.contains("\nreactord_streams 0\n") == true })
    // An upload that is aborted executes nothing.
    let upload = try curl(
      "--http1.1", "--max-time", "2", "-H", "Content-Type: application/json", "-H",
      "Content-Length: 100", "-d",
      #""increase""#, session + "/actions")
    #expect(try upload.wait() != .code(0))
    #expect(try act() == #"{"value":3}"#)

    process.signal(SIGTERM)
    try process.wait()
  }
}
