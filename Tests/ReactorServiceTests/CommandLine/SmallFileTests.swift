import Glibc
import Testing

@testable import ReactorService

struct SmallFileTests {
  @Test func `a file is read to its end`() throws {
    let bytes = try SmallFile.read(#filePath, limit: 100_000)
    #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("import Glibc\n"))
    #expect(bytes.last == UInt8(ascii: "\n"))
  }

  @Test func `a FIFO without a writer is an error`() throws {
    let path = "/tmp/reactord-fifo-\(getpid())"
    #expect(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    #expect(throws: FileProblem(reason: "the pipe has no data")) {
      try SmallFile.read(path, limit: 10, timeout: 10)
    }
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
