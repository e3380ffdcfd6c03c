import Testing

@testable import ReactorService

struct VersionTests {
  private func lines(of file: String) throws -> [Substring] {
    let bytes = try SmallFile.read(Repository.file(file), limit: 1_000_000)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  @Test func `the image label is the version`() throws {
    let label = "org.opencontainers.image.version="
    let line = try #require(try lines(of: "Dockerfile").first { $0.contains(label) })
    #expect(line.contains("\(label)\"\(ServiceVersion.current)\""))
  }

  @Test func `the newest entry of the changelog is the version`() throws {
    let heading = try #require(try lines(of: "CHANGELOG.md").first { $0.hasPrefix("## ") })
    #expect(heading.split(separator: " ").dropFirst().first == ServiceVersion.current[...])
  }
}
