import ReactorCoding
import Testing

struct TypeScriptDeclarationsTests {
  private func type(_ schema: JSONValue) -> String {
    var declarations = TypeScriptDeclarations(comment: [])
    declarations.declare("T", comment: "A type.", schema: schema)
    let start = "\n/** A type. */\nexport type T = "
    #expect(declarations.text.hasPrefix(start))
    return String(declarations.text.dropFirst(start.count).dropLast(2))
  }

  @Test(
    arguments: [
      ([:], "unknown"),
      (["type": "boolean"], "boolean"),
      (["type": "integer", "minimum": 0], "number"),
      (["type": ["string", "null"]], "string | null"),
      (["enum": ["start", "stop", 3, nil]], #""start" | "stop" | 3 | null"#),
      (["enum": [#"a "quoted" \ name"#]], #""a \"quoted\" \\ name""#),
      (["type": "array", "items": ["type": "string"]], "string[]"),
      (["type": "array", "items": ["type": ["string", "null"]]], "(string | null)[]"),
      (["type": "array"], "unknown[]"),
      (["type": "object"], "{ [name: string]: unknown }"),
      (
        ["type": "object", "additionalProperties": ["type": "number"]],
        "{ [name: string]: number }"
      ),
      (
        [
          "type": "object", "properties": ["a": ["type": "number"], "b c": [:], "1": [:]],
          "required": ["a"],
        ],
        #"{ a: number; "b c"?: unknown; "1"?: unknown }"#
      ),
      (
        [
          "oneOf": [
            ["const": "increase"],
            [
              "type": "object", "properties": ["add": ["type": "integer"]], "required": ["add"],
              "additionalProperties": false,
            ],
          ]
        ],
        #""increase" | { add: number }"#
      ),
      (["anyOf": [["enum": [1, 10]], ["type": "null"]]], "1 | 10 | null"),
      (["$ref": "https://example.org/"], "unknown"),
    ] as [(JSONValue, String)])
  func `a schema is rendered as a type expression`(_ schema: JSONValue, _ expected: String) {
    #expect(type(schema) == expected)
  }

  @Test func `definitions are declared once, with a prefix`() {
    indirect enum Tree: Codable {
      case leaf
      case branch(left: Tree, right: Tree)
    }
    var declarations = TypeScriptDeclarations(comment: ["Of one\nline.", ""])
    declarations.declare(
      "State", comment: "It is */ not over.", schema: JSONSchema.derive(Tree.self))
    #expect(
      declarations.text == """
        // Of one line.
        //

        /** It is * / not over. */
        export type State = StateTree;
        type StateTree = "leaf" | { branch: { left: StateTree; right: StateTree } };

        """)
  }
}
