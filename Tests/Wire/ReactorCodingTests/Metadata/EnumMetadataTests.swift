import Synchronization
import Testing

@testable import ReactorCoding

/// The layout of the runtime's metadata, which may change with the toolchain.
struct EnumMetadataTests {
  private enum Command: Codable, Equatable {
    case start
    case move(Int)
    case turn(by: Int, to: Int?)

    static let describesKeys =
      EnumMetadata.describes(
        CodingKeys.self, names: ["start", "move", "turn"], isInsideEnum: true,
        isCodingKeysOfCase: false)
      && EnumMetadata.describes(
        TurnCodingKeys.self, names: ["by", "to"], isInsideEnum: true, isCodingKeysOfCase: true)

    /// The results for expectations that do not hold.
    static let describesOtherKeys = [
      EnumMetadata.describes(
        CodingKeys.self, names: ["start", "move"], isInsideEnum: true, isCodingKeysOfCase: false),
      EnumMetadata.describes(
        CodingKeys.self, names: ["start", "move", "jump"], isInsideEnum: true,
        isCodingKeysOfCase: false),
      EnumMetadata.describes(
        CodingKeys.self, names: ["start", "move", "turn"], isInsideEnum: false,
        isCodingKeysOfCase: false),
      EnumMetadata.describes(
        TurnCodingKeys.self, names: ["by", "to"], isInsideEnum: true, isCodingKeysOfCase: false),
      EnumMetadata.describes(
        OpaqueKey.self, names: [], isInsideEnum: true, isCodingKeysOfCase: false),
    ]

    /// Keys that are no enum.
    struct OpaqueKey: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
  }

  @Test func `this toolchain's metadata has the documented layout`() {
    #expect(EnumMetadata.isReadable)
    #expect(Command.describesKeys)
  }

  @Test func `the self-test notices metadata that differs from the declarations`() {
    #expect(Command.describesOtherKeys == [false, false, false, false, false])
  }

  private static let forms: [(Command, String)] = [
    (.start, #""start""#), (.move(7), #"{"move":7}"#),
    (.turn(by: 1, to: nil), #"{"turn":{"by":1,"to":null}}"#),
  ]

  @Test func `without metadata, cases keep their forms and errors omit the names`() async {
    await #expect(processExitsWith: .success) {
      EnumMetadata.isDisabled.store(true, ordering: .relaxed)
      require(!EnumMetadata.isReadable)
      for (command, text) in Self.forms {
        require(try encoded(command) == text)
        require(try decoded(Command.self, text, .strict) == command)
      }
      require(try decoded(Command.self, #"{"start":{}}"#, .strict) == .start)
      require(try decoded(Command.self, #"{"move":{"_0":7}}"#, .strict) == .move(7))
      require(JSONCoder.caseNames(of: Command.self) == nil)
      require(JSONCoder.plainCases(of: Command.self).isEmpty)
      require(JSONSchema.derive(Command.self) == [:])
      let unknown = try failure(Command.self, #"{"jump":1}"#)
      require(unknown?.pointer == "" && unknown?.expected == [])
      require(try failure(User.self, #""Ada""#)?.expected == ["object"])
    }
  }
}

/// Ends the process of an exit test if the condition does not hold.
private func require(_ condition: Bool) {
  precondition(condition)
}
