import Testing

@testable import ReactorService

struct VersionTests {
  private func lines(of file: String) throws -> [Substring] {
    let bytes = try SmallFile.read(Repository.file(file), limit: 1_000_000)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  /// `config/version` reads the version of the image and of the packages from this line.
  @Test func `one line declares the version`() throws {
    let declaration = "static let current = "
    let found = try lines(of: "Sources/Server/ReactorService/ServiceVersion.swift")
      .filter { $0.contains(declaration) }
    #expect(found.count == 1)
    #expect(found.first?.hasSuffix("\(declaration)\"\(ServiceVersion.current)\"") == true)
    for file in ["Dockerfile", "Makefile", "config/build-dist"] {
      #expect(try !lines(of: file).contains { $0.contains(ServiceVersion.current) }, "\(file)")
    }
  }

  @Test func `the newest entry of the changelog is the version`() throws {
    let heading = try #require(try lines(of: "CHANGELOG.md").first { $0.hasPrefix("## ") })
    #expect(heading.split(separator: " ").dropFirst().first == ServiceVersion.current[...])
  }
}
