import Testing

@testable import ReactorService

struct SmallFileTests {
  @Test func `a file is read whole`() throws {
    let bytes = try SmallFile.read(#filePath, limit: 100_000)
    #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("import Testing\n"))
    #expect(bytes.last == UInt8(ascii: "\n"))
  }

  @Test(arguments: [
    ("/nonexistent", "No such file or directory"), ("/", "Is a directory"),
    ("/dev/zero", "it is larger than 10 bytes"),
  ])
  func `a file that cannot be read is told with the reason`(
    _ path: String, _ reason: String
  ) {
    #expect(throws: FileProblem(reason: reason)) { try SmallFile.read(path, limit: 10) }
  }
}
