import Foundation
import ReactorTransport
import TestSupport
import Testing

@testable import ReactorHTTP

/// The files of one's own folder of pages.
struct FolderEndpointTests {
  private let folder: TemporaryFolder
  private let root: String

  init() throws {
    folder = try TemporaryFolder()
    root = folder["public"]
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
    try store("<h1>Home</h1>", to: "index.html")
    try Data("secret".utf8).write(to: URL(filePath: folder["secret.txt"]))
  }

  private func store(_ text: String, to path: String) throws {
    let file = URL(filePath: "\(root)/\(path)")
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func link(_ path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: "\(root)/\(path)", withDestinationPath: target)
  }

  private func service(hasFallback: Bool = false) -> Service {
    Service(settings: {
      $0.folder = PageFolder(root, hasFallback: hasFallback)
      $0.compression = ResponseCompression(minimum: 1) { _ in Array("compressed".utf8) }
    })
  }

  @Test(arguments: [
    ("a.css", "text/css; charset=utf-8"), ("a.JS", "text/javascript; charset=utf-8"),
    ("a.wasm", "application/wasm"), ("a", "application/octet-stream"),
    ("deep/er/a.min.svg", "image/svg+xml"), ("a b%c.html", "text/html; charset=utf-8"),
    ("ä\u{1}\"<.txt", "text/plain; charset=utf-8"), (".well-known/a.json", "application/json"),
  ])
  func `a file is served with its type and a tag`(path: String, type: String) throws {
    try store("content", to: path)
    let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "./"))
    let target = try #require(path.addingPercentEncoding(withAllowedCharacters: allowed))
    let response = try service().ask("GET", "/\(target)")
    #expect(response.status == 200 && response.text == "content")
    #expect(response[field: "Content-Type"] == type)
    #expect(response[field: "Cache-Control"] == "no-cache")
    #expect(response[field: "X-Content-Type-Options"] == "nosniff")
    let tag = try #require(response[field: "ETag"])
    #expect(try service().ask("GET", "/\(target)", [(.ifNoneMatch, tag)]).status == 304)
    try store("changed", to: path)
    #expect(try service().ask("GET", "/\(target)", [(.ifNoneMatch, tag)]).text == "changed")
  }

  @Test func `a name of bytes that are no text is a name`() throws {
    let path = Array("\(root)/".utf8) + [0xFF, 0xFE, 0]
    let file = path.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer { path in
      path.baseAddress.map { open($0, O_CREAT | O_WRONLY, 0o644) } ?? -1
    }
    let content = Array("bytes".utf8)
    let written = write(file, content, content.count)
    #expect(written == 5)
    close(file)
    #expect(try service().ask("GET", "/%FF%fe").text == "bytes")
    #expect(try service().ask("GET", "/%FF").status == 404)
  }

  @Test func `the folder has the start page, and the service its own paths`() throws {
    try store("mine", to: "v1/a.txt")
    try store("mine", to: "page.css")
    try store("mine", to: "inspector/tree.js")
    let service = service()
    #expect(try service.ask("GET", "/").text == "<h1>Home</h1>")
    #expect(try service.ask("HEAD", "/").status == 200)
    #expect(try service.ask("GET", "/inspector/").status == 200)
    #expect(try service.ask("GET", "/page.css").text == "page.css")
    #expect(try service.ask("GET", "/inspector/tree.js").text == "inspector/tree.js")
    #expect(try service.ask("GET", "/v1/a.txt").problem == "404 not-found")
    #expect(try service.ask("GET", "/%76%31/a.txt").problem == "404 not-found")
    #expect(try service.ask("POST", "/").problem == "405 method-not-allowed")
    #expect(try service.ask("OPTIONS", "*").status == 204)
    #expect(try !service.ask("GET", "/openapi.json").text.contains("+path"))
  }

  @Test func `a folder has its own page, with a slash at its end`() throws {
    try store("docs", to: "docs/index.html")
    #expect(try service().ask("GET", "/docs/").text == "docs")
    let response = try service().ask("GET", "/docs?a=b")
    #expect(response.status == 308)
    #expect(response[field: "Location"] == "/docs/?a=b")
  }

  @Test(arguments: [
    "/nothing", "/..", "/../secret.txt", "/%2e%2e/secret.txt", "/a/..%2f..%2fsecret.txt",
    "/.hidden", "/a/.hidden", "/a/.well-known/x", "//index.html", "/a//b", "/a/./b", "/%00",
    "/index.html%00.txt", "/index.html/", "/index.html/x", "/%", "/%zz", "/link.txt",
    "/links/secret.txt", "/up/secret.txt", "/absolute.txt", "/loop", "/pipe", "/locked.gz/",
  ])
  func `nothing else is served`(target: String) throws {
    try store("hidden", to: ".hidden")
    try store("hidden", to: "a/.hidden")
    try store("x", to: "a/b")
    try store("x", to: "a/.well-known/x")
    try link("link.txt", to: "../secret.txt")
    try link("absolute.txt", to: folder["secret.txt"])
    try link("links", to: folder.path)
    try link("up", to: "..")
    try link("loop", to: "loop")
    #expect(mkfifo("\(root)/pipe", 0o644) == 0)
    #expect(try service().ask("GET", target).problem == "404 not-found")
    let name = String(repeating: "a", count: 5_000)
    #expect(try service().ask("GET", "/\(name)").problem == "404 not-found")
  }

  @Test func `a folder beside it whose name begins with its name is another one`() throws {
    try FileManager.default.createDirectory(
      atPath: folder["public2"], withIntermediateDirectories: false)
    try Data("other".utf8).write(to: URL(filePath: folder["public2/a.txt"]))
    try link("a.txt", to: "../public2/a.txt")
    #expect(try service().ask("GET", "/a.txt").status == 404)
  }

  @Test func `a link within the folder is followed`() throws {
    try store("one", to: "releases/1/app.js")
    try link("current", to: "releases/1")
    #expect(try service().ask("GET", "/current/app.js").text == "one")
  }

  @Test func `the folder can be replaced, and its absence is an error`() throws {
    let service = service()
    try FileManager.default.moveItem(atPath: root, toPath: folder["old"])
    #expect(try service.ask("GET", "/").problem == "503 unavailable")
    #expect(!PageFolder(root).exists)
    try store("new", to: "index.html")
    #expect(try service.ask("GET", "/").text == "new")
  }

  @Test func `a compressed form that is not older is sent to clients that accept it`() throws {
    try store("the plain text", to: "app.js")
    try store("packed", to: "app.js.gz")
    let gzip = [(name: HTTPHeader.acceptEncoding, value: "gzip")]
    let response = try service().ask("GET", "/app.js", gzip)
    #expect(response.text == "packed" && response[field: "Content-Encoding"] == "gzip")
    #expect(response[field: "Content-Type"] == "text/javascript; charset=utf-8")
    #expect(response[field: "Vary"] == "Accept, Accept-Encoding")
    #expect(try service().ask("GET", "/app.js").text == "the plain text")
    let part = try service().ask("GET", "/app.js", gzip + [(.range, "bytes=0-1")])
    #expect(part.text == "th" && part[field: "Content-Encoding"] == nil)

    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: "\(root)/app.js.gz")
    #expect(try service().ask("GET", "/app.js", gzip).text == "compressed")
    try FileManager.default.removeItem(atPath: "\(root)/app.js")
    #expect(try service().ask("GET", "/app.js", gzip).status == 404)
  }

  @Test(
    arguments: [
      ("bytes=0-3", 206, "0123", "bytes 0-3/10"), ("bytes=7-", 206, "789", "bytes 7-9/10"),
      ("bytes=-2", 206, "89", "bytes 8-9/10"), ("bytes=8-99", 206, "89", "bytes 8-9/10"),
      ("bytes=-99", 206, "0123456789", "bytes 0-9/10"),
      ("bytes=0-99999999999999999999", 206, "0123456789", "bytes 0-9/10"),
      ("bytes=4-2", 200, "0123456789", nil), ("bytes=0-1,3-4", 200, "0123456789", nil),
      ("bytes=a-b", 200, "0123456789", nil), ("lines=1-2", 200, "0123456789", nil),
      ("bytes=-", 200, "0123456789", nil), ("bytes=10-", 416, nil, "bytes */10"),
      ("bytes=99999999999999999999-", 416, nil, "bytes */10"), ("bytes=-0", 416, nil, "bytes */10"),
    ] as [(String, Int, String?, String?)])
  func `a range is served`(range: String, status: Int, text: String?, place: String?) throws {
    try store("0123456789", to: "ten.txt")
    let response = try service().ask("GET", "/ten.txt", [(.range, range)])
    #expect(response.status == status)
    #expect(text == nil || response.text == text)
    #expect(response[field: "Content-Range"] == place)
    let whole = try service().ask("HEAD", "/ten.txt", [(.range, range)])
    #expect(whole.status == 200 && whole[field: "Accept-Ranges"] == "bytes")
  }

  @Test func `a range of an older version gets the whole file`() throws {
    try store("0123456789", to: "ten.txt")
    let tag = try #require(service().ask("GET", "/ten.txt")[field: "ETag"])
    let fields: [(name: HTTPHeader, value: String)] = [(.range, "bytes=0-0")]
    #expect(try service().ask("GET", "/ten.txt", fields + [(.ifRange, tag)]).text == "0")
    #expect(try service().ask("GET", "/ten.txt", fields + [(.ifRange, "\"other\"")]).status == 200)
  }

  @Test func `a page that browsers open falls back to the start page, on request`() throws {
    let html = [(name: HTTPHeader.accept, value: "text/html,*/*;q=0.8")]
    #expect(try service().ask("GET", "/orders/7", html).status == 404)
    let service = service(hasFallback: true)
    #expect(try service.ask("GET", "/orders/7", html).text == "<h1>Home</h1>")
    #expect(try service.ask("GET", "/missing.js", [(.accept, "*/*")]).problem == "404 not-found")
    #expect(try service.ask("GET", "/v1/nothing", html).status == 404)
    #expect(try service.ask("GET", "/../secret.txt", html).text == "<h1>Home</h1>")
  }

  @Test func `a browser gets a page that says what is missing`() throws {
    let response = try service().ask("GET", "/missing", [(.accept, "text/html,*/*;q=0.8")])
    #expect(response.status == 404)
    #expect(response[field: "Content-Type"] == "text/html; charset=utf-8")
    #expect(response.text.contains("The folder of pages has no file at this address."))
  }

  @Test func `a file beyond the limit is not read`() throws {
    let file = open("\(root)/large", O_CREAT | O_WRONLY, 0o644)
    #expect(ftruncate(file, off_t(PageFolder.fileLimit + 1)) == 0)
    close(file)
    let response = try service().ask("GET", "/large")
    #expect(response.problem == "404 not-found")
    #expect(response.text.contains("larger than 16777216 bytes"))
  }

  @Test func `no response mixes two versions of a file that is being written`() async throws {
    let versions = ["a", "b"].map { String(repeating: $0, count: 1 << 20) }
    let path = "\(root)/busy.txt"
    try store(versions[0], to: "busy.txt")
    let service = service()
    let writer = Task.detached {
      var turn = 0
      while !Task.isCancelled {
        turn += 1
        let file = open(path, O_WRONLY)
        let bytes = Array(versions[turn % 2].utf8)
        _ = bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
        close(file)
        await Task.yield()
      }
    }
    for _ in 0..<40 {
      let response = try service.ask("GET", "/busy.txt")
      #expect(response.status == 503 || versions.contains(response.text))
    }
    writer.cancel()
    await writer.value
    #expect(eventually { (try? service.ask("GET", "/busy.txt").status) == 200 })
  }
}
