import Foundation
import Testing

extension GalleryBrowserTests {
  /// `reactord new --example`: the package compiles, and its page shows what a visitor does.
  @Suite(.enabled(if: !Sanitizer.isUsed))
  struct NewExampleTests {
    /// The steps on each page, as a script, and then the text that an element shows.
    private static let steps: [(example: String, script: String, element: String, text: String)] = [
      (
        "chat",
        "document.querySelector('#name').value = 'Ada'; document.querySelector('#join button').click()",
        "#members", "Ada"
      ),
      (
        "auction", "document.querySelector('#begin button').click()", "#phase",
        "A lamp: open, no bid"
      ),
      (
        "order", "document.querySelector('#screens button').click()",
        "#screens section:last-child h2",
        "Latte"
      ),
      (
        "cart",
        "document.querySelector('input').value = 'Tea'; document.querySelector('#add button').click()",
        "li", "Tea"
      ),
    ]

    @Test(arguments: steps.indices)
    func `an example is a package whose page, README and tests work`(index: Int) throws {
      let (example, script, element, text) = Self.steps[index]
      let folder = try TemporaryFolder()
      let package = folder["my-\(example)"]
      let written = try ReactordProcess.launch(
        ["new", "my-\(example)", "--example", example], in: folder.path)
      #expect(try written.wait() == .code(0), "\(written.standardError)")
      let daemon = try SwiftCompiler().build("my-\(example)", in: package)

      let server = try ReactordProcess(
        ["--store", "memory", "--pages", "\(package)/public"], program: daemon)
      let browser = try Browser()
      try browser.open(server.url + "/")
      try browser.expect("return document.querySelector('button') !== null", is: true)
      try browser.run(script)
      try browser.expect(
        "return document.querySelector('\(element)')?.textContent ?? null", is: .string(text))
      #expect(try browser.complaints() == [])

      let readme = try Guide(absolute: "\(package)/README.md")
      let commands = readme.blocks[1].code.replacing("http://127.0.0.1:8080", with: server.url)
      try "fail-with-body".write(toFile: folder[".curlrc"], atomically: true, encoding: .utf8)
      let shell = try ChildProcess(
        "/usr/bin/bash", ["-eu", "-c", commands], environment: ["HOME": folder.path])
      #expect(try shell.wait() == .code(0), "\(shell.standardOutput)\(shell.standardError)")
    }
  }
}
