import Commands
import Foundation
import PublicTestData
import ReactorCoding
import Testing

/// A validator of JSON Schema in another language.
enum JSONSchemaValidator {
  /// Returns the errors of the texts that do not fit their schema, and of invalid schemas.
  static func errors(_ cases: [(schema: JSONValue, text: String)]) throws -> [String] {
    let script = """
      import json, sys, jsonschema
      kind = jsonschema.Draft202012Validator
      # The empty schema fits everything, and a format that is not known to the validator every text.
      for line in sys.stdin:
          given = json.loads(line)
          kind.check_schema(given[0])
          for error in kind(given[0], format_checker=kind.FORMAT_CHECKER).iter_errors(given[1]):
              print(f"{error.json_path} {error.message} in {line}".replace("\\n", ""))
      """
    let input = cases.map { "[\(String(decoding: $0.schema.bytes, as: UTF8.self)),\($0.text)]\n" }
    let python = PublicTestData.python.appending(path: "bin/python").path
    let result = try Command([python, "-c", script], input: Array(input.joined().utf8))
    #expect(result.status == 0, "\(String(decoding: result.errors, as: UTF8.self))")
    return String(decoding: result.output, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
