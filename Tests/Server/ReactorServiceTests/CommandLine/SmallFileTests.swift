import Glibc
import Testing

@testable import ReactorService

struct SmallFileTests {
  @Test func `a file is read to its end`() throws {
    let bytes = try SmallFile.read(#filePath, limit: 100_000)
    #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("import Glibc\n"))
    #expect(bytes.last == UInt8(ascii: "\n"))
  }

  @Test func `a FIFO is an error, with and without a writer`() throws {
    let path = "/tmp/reactord-fifo-\(getpid())"
    #expect(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    let problem = FileProblem(
      reason: "it is a pipe, which can be read only once: name a regular file")
    #expect(throws: problem) { try SmallFile.read(path, limit: 10) }
    let writer = open(path, O_RDWR | O_CLOEXEC)
    defer { close(writer) }
    #expect(write(writer, "{}", 2) == 2)
    #expect(throws: problem) { try SmallFile.read(path, limit: 10) }
  }

  @Test func `a device without data is an empty file`() throws {
    #expect(try SmallFile.read("/dev/null", limit: 10).isEmpty)
  }

  @Test(arguments: [
    ("/nonexistent", "No such file or directory"), ("/", "Is a directory"),
    ("/dev/zero", "it is larger than 10 bytes"),
  ])
  func `the error contains the reason`(
    _ path: String, _ reason: String
  ) {
    #expect(throws: FileProblem(reason: reason)) { try SmallFile.read(path, limit: 10) }
  }
}
