import Foundation
import Testing

/// The Swift compiler with the modules that were built with the tests, so that a new package or a snippet of an
/// article is compiled in seconds.
struct SwiftCompiler {
  private let products: String
  private let flags: [String]

  init() throws {
    products = try ReactordProcess.productsDirectory()
    let folders = [
      Guide.root.appending(path: "Sources/Doors").path, products,
    ]
    let maps = try folders.flatMap { folder in
      try FileManager.default.contentsOfDirectory(atPath: folder)
        .map { "\(folder)/\($0)/module.modulemap" }
    }.filter { FileManager.default.fileExists(atPath: $0) }
    // Each program compiles the modules of the doors, and libpq's headers have a folder of their own.
    flags =
      ["-I", "\(products)/Modules", "-Xcc", "-I\(try Self.folderOfPostgreSQL())"]
      + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
  }

  private static func folderOfPostgreSQL() throws -> String {
    let program = try ChildProcess("/bin/sh", ["-c", "pg_config --includedir"])
    guard try program.wait() == .code(0) else {
      throw ChildProcess.Failure(description: program.standardError)
    }
    return program.standardOutput.trimmingCharacters(in: .newlines)
  }

  /// Checks that files compile as one module, with further arguments of the compiler.
  func check(_ files: [String], _ arguments: String..., in folder: String) throws {
    try run(["-typecheck", "-swift-version", "6"] + arguments + files, in: folder)
  }

  /// Compiles files as a module.
  func compile(_ files: [String], as module: String, _ arguments: String..., in folder: String)
    throws
  {
    try run(
      ["-swift-version", "6"] + arguments + [
        "-emit-module", "-enable-testing", "-parse-as-library", "-module-name", module, "-wmo",
        "-c", "-o", "\(module).o",
      ] + files, in: folder)
  }

  /// Compiles a program, and links it with modules of the folder and those of this project.
  ///
  /// - Returns: The path of the program.
  func link(
    _ files: [String], with modules: [String], _ arguments: String..., in folder: String
  ) throws -> String {
    try run(
      ["-swift-version", "6"] + arguments + [
        "-module-name", "program", "-wmo", "-c", "-o", "main.o",
      ] + files, in: folder)
    let objects = try String(
      contentsOfFile: "\(products)/reactord.product/Objects.LinkFileList", encoding: .utf8
    ).split(separator: "\n").filter {
      !$0.contains("/Reactors.build/") && !$0.contains("/reactord.build/")
    }
    try objects.joined(separator: "\n").write(
      toFile: "\(folder)/objects", atomically: true, encoding: .utf8)
    try run(["main.o"] + modules.map { "\($0).o" } + ["@objects", "-o", "program"], in: folder)
    return "\(folder)/program"
  }

  /// Compiles a package of the shape that `reactord new` writes, its tests without running them, and links the
  /// daemon.
  ///
  /// - Returns: The path of the daemon.
  func build(_ name: String, in folder: String) throws -> String {
    let manager = FileManager.default
    let module = try #require(
      manager.contentsOfDirectory(atPath: "\(folder)/Sources").first { $0 != name })
    func sources(_ path: String) throws -> [String] {
      try manager.contentsOfDirectory(atPath: "\(folder)/\(path)").map { "\(path)/\($0)" }
    }
    try compile(
      sources("Sources/\(module)"), as: module, "-warnings-as-errors", "-package-name", name,
      in: folder)
    try check(
      sources("Tests/\(module)Tests"), "-warnings-as-errors", "-package-name", name,
      "-parse-as-library", in: folder)
    return try link(
      ["Sources/\(name)/main.swift"], with: [module], "-warnings-as-errors", "-package-name", name,
      in: folder)
  }

  private func run(_ arguments: [String], in folder: String) throws {
    let words = (["swiftc", "-I", "."] + flags + arguments).map { "'\($0)'" }.joined(separator: " ")
    let process = try ChildProcess("/bin/sh", ["-c", "cd '\(folder)' && exec \(words)"])
    guard try process.wait() == .code(0) else {
      throw ChildProcess.Failure(description: process.standardError + process.standardOutput)
    }
  }
}
