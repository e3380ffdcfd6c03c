import Commands
import Foundation
import Glibc
import TestSupport
import Testing

/// An `https` server with HTTP/2 and HTTP/1.1, which responds with the version of HTTP and the path, and
/// whose certificate is its own authority.
final class TLSServer {
  struct Failure: Error {
    let step: String
  }

  private static let script = """
    const [key, cert, port] = process.argv.slice(1)
    const fs = require("fs")
    const server = require("http2").createSecureServer(
      { key: fs.readFileSync(key), cert: fs.readFileSync(cert), allowHTTP1: true },
      (request, response) => response.end(request.httpVersion + " " + request.url))
    server.listen(0, "127.0.0.1", () => {
      fs.writeFileSync(port + ".new", String(server.address().port))
      fs.renameSync(port + ".new", port)
    })
    """

  let port: UInt16

  /// The file with the certificate.
  let certificate: String

  private let folder: String
  private let process: pid_t

  /// Creates a certificate for 127.0.0.1, and starts the server.
  init() async throws {
    var template = Array((FileManager.default.temporaryDirectory.path + "/tls-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(step: "mkdtemp") }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let (key, portFile) = (folder + "/key.pem", folder + "/port")
    certificate = folder + "/certificate.pem"
    let creation = try Command([
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
      "-subj", "/CN=test", "-days", "1",
      "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
    ])
    guard creation.status == 0 else { throw Failure(step: "openssl") }
    let words = ["node", "-e", Self.script, key, certificate, portFile]
    let arguments = words.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    let error = posix_spawnp(&process, "node", nil, nil, arguments + [nil], environ)
    guard error == 0 else { throw Failure(step: "node") }
    self.process = process
    try await wait { FileManager.default.fileExists(atPath: portFile) }
    port = try UInt16(String(contentsOfFile: portFile, encoding: .utf8)) ?? 0
  }

  deinit {
    kill(process, SIGKILL)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    try? FileManager.default.removeItem(atPath: folder)
  }
}
