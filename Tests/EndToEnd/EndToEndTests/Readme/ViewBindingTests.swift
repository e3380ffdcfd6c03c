import Foundation
import Testing

/// The product ReactorViews with the part of UIKit in Tests/Examples/UIKit: its bindings compile, and do what the program
/// there expects.
@Suite(.blocking, .enabled(if: !Sanitizer.isUsed))
struct ViewBindingTests {
  @Test func `a view controller binds the controls of its form`() throws {
    let folder = try TemporaryFolder()
    let compiler = try SwiftCompiler()
    let examples = Guide.root.appending(path: "Tests/Examples/UIKit").path
    let views = Guide.root.appending(path: "Sources/Kit/ReactorViews").path
    let sources = try FileManager.default.contentsOfDirectory(atPath: views)
      .filter { $0.hasSuffix(".swift") }.map { "\(views)/\($0)" }
    try compiler.compile(["\(examples)/UIKit.swift"], as: "UIKit", in: folder.path)
    try compiler.compile(
      sources, as: "ReactorViews",
      "-package-name", "reactord", "-warnings-as-errors", "-enable-upcoming-feature",
      "ExistentialAny",
      "-enable-upcoming-feature", "InternalImportsByDefault", "-enable-upcoming-feature",
      "MemberImportVisibility", "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
      "-strict-memory-safety", in: folder.path)
    let program = try compiler.link(
      ["\(examples)/Program/main.swift"], with: ["UIKit", "ReactorViews"], in: folder.path)
    let process = try ChildProcess(program)
    #expect(try process.wait() == .code(0), "\(process.standardError)")
    #expect(
      process.standardOutput == """
        empty false false ["0 a"]
        typed b true
        saved ["0 a", "1 b", "2 c"]
        chosen a
        refreshed false
        on true
        slider 0.5
        stepper 2.0
        segment 1
        date 0.0
        set false
        released
        unbound 0 true
        late 2

        """)
  }

  /// `RxBridge.swift` of a package with `--rx`, with the part of RxSwift that it uses.
  @Test func `the bridge to RxSwift passes elements, errors and disposals in both directions`()
    throws
  {
    let folder = try TemporaryFolder()
    let written = try ReactordProcess.launch(["new", "todo", "--rx"], in: folder.path)
    #expect(try written.wait() == .code(0), "\(written.standardError)")
    let compiler = try SwiftCompiler()
    let examples = Guide.root.appending(path: "Tests/Examples/RxBridge").path
    try compiler.compile(["\(examples)/RxSwift.swift"], as: "RxSwift", in: folder.path)
    let program = try compiler.link(
      ["\(folder.path)/todo/Sources/TodoReactors/RxBridge.swift", "\(examples)/main.swift"],
      with: ["RxSwift"], in: folder.path)
    let process = try ChildProcess(program)
    #expect(try process.wait() == .code(0), "\(process.standardError)")
    #expect(
      process.standardOutput
        == "1\n2\ncompleted\nfailed\n3\ncompleted\nfailed\ndisposed\ndisposed\n")
    let manifest = try String(contentsOfFile: folder["todo/Package.swift"], encoding: .utf8)
    #expect(
      manifest.contains(
        #".package(url: "https://github.com/ReactiveX/RxSwift.git", from: "6.0.0")"#))
  }
}
