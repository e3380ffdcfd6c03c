import Commands
import Foundation
import PublicTestData
import ReactorCoding
import ReactorCore
import Testing

/// The schema and the TypeScript type of open texts, as a validator and `tsc` read them.
@Suite(.enabled(if: PublicTestData.isInstalled, "\(PublicTestData.isMissing)"))
struct OpenTextToolTests {
  enum Heading: String, CaseIterable, Codable { case north, south }

  struct State: Codable {
    var heading: Open<Heading> = "north"
    var closed = Heading.north
    var later: Open<Heading>?
    var byHeading: [Open<Heading>: Int] = [:]
  }

  /// Whether a JSON Schema validator accepts some texts.
  private func validate(_ texts: [String]) throws -> [Bool] {
    let script = """
      import json, sys, jsonschema
      given = json.load(sys.stdin)
      jsonschema.Draft202012Validator.check_schema(given["schema"])
      validator = jsonschema.Draft202012Validator(given["schema"])
      print(json.dumps([validator.is_valid(case) for case in given["cases"]]))
      """
    let schema = String(decoding: JSONSchema.derive(State.self, for: .input).bytes, as: UTF8.self)
    let input = #"{"schema":\#(schema),"cases":[\#(texts.joined(separator: ","))]}"#
    let python = PublicTestData.python.appending(path: "bin/python").path
    let result = try Command([python, "-c", script], input: Array(input.utf8))
    #expect(result.status == 0, "\(String(decoding: result.errors, as: UTF8.self))")
    return try JSONCoder.decode([Bool].self, from: result.output)
  }

  @Test func `a validator accepts known and other texts, and nothing else`() throws {
    func state(_ heading: String, closed: String = #""south""#) -> String {
      #"{"heading":\#(heading),"closed":\#(closed),"byHeading":{"up":1}}"#
    }
    let accepted = [
      state(#""north""#), state(#""west""#), state(#""""#),
      #"{"heading":"x","closed":"north","later":null,"byHeading":{}}"#,
      #"{"heading":"x","closed":"north","later":"up","byHeading":{}}"#,
    ]
    let rejected = [
      state("5"), state("null"), state(#"["north"]"#), state(#""north""#, closed: #""west""#),
      #"{"heading":"x","closed":"north","later":5,"byHeading":{}}"#,
      #"{"heading":"x","closed":"north","byHeading":{"up":"x"}}"#,
    ]
    let results = try validate(accepted + rejected)
    #expect(results == accepted.map { _ in true } + rejected.map { _ in false })
    // The decoder agrees with the schema.
    for text in accepted {
      #expect(throws: Never.self) { try JSONCoder.decode(State.self, from: Array(text.utf8)) }
    }
    for text in rejected {
      #expect(throws: (any Error).self) {
        try JSONCoder.decode(State.self, from: Array(text.utf8))
      }
    }
  }

  @Test func `tsc accepts known and other texts, and nothing else`() throws {
    var declarations = TypeScriptDeclarations(comment: [])
    declarations.declare(
      "State", comment: "A state.", schema: JSONSchema.derive(State.self, for: .input))
    let page =
      declarations.text + """
        let state: State = { heading: "north", closed: "south", byHeading: { up: 1 } };
        state.heading = "west";
        if (state.heading === "south") state.closed = "south";
        state.later = null;
        const length: number = state.heading.length;
        // @ts-expect-error
        state.heading = 5;
        // @ts-expect-error
        state.closed = "west";
        // @ts-expect-error
        state.closed = state.heading;

        """
    let folder = FileManager.default.temporaryDirectory
      .appending(component: "open-text-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(component: "page.ts")
    try page.write(to: file, atomically: true, encoding: .utf8)
    let result = try Command(["tsc", "--noEmit", "--strict", "--target", "es2020", file.path])
    #expect(result.status == 0, "\(String(decoding: result.output, as: UTF8.self))")
  }
}
