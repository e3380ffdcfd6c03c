/// The information gathered about the JSON of one type.
final class SchemaSketch {
  var form = Form.anything

  /// The members of an object, in the order of the first request.
  var properties: [Property] = []

  /// The coding keys of an object, as far as they can be listed, with their names in JSON and in Swift.
  private(set) var keys: [(json: String, swift: String)] = []
  private var keyTypes: Set<ObjectIdentifier> = []

  /// The members of an object that one attempt to decode it has requested.
  var requested: Set<String> = []

  /// The largest number of raw values of a member's type.
  var choices = 1

  /// The names of all cases of an enum.
  var caseNames: [String] = []

  /// The payloads of the cases that were decoded.
  var cases: [Case] = []

  /// Whether the value may be `null`.
  var isNullable = false

  /// Whether an object has no other members.
  var isClosed = false

  /// Whether the schema omits the enum cases with this value.
  var isHidden = false

  /// Whether clients send the value and never receive it.
  var isWriteOnly = false

  /// Whether the type asks an array for the number of its elements.
  var hasEnd = false

  /// The name of a recursive type, which is referenced instead of inlined.
  var definitionName: String?

  init(_ form: Form = .anything) {
    self.form = form
  }

  /// The form of the value.
  enum Form {
    case anything
    case scalar(JSONValue)
    /// One of a fixed set of values.
    case values([JSONValue])
    /// Any text, with some known ones.
    case openText([JSONValue])
    /// The form of another type.
    case wrapped(SchemaSketch)
    /// A number; for input also a text.
    case decimal
    case array(SchemaSketch?)
    /// An array of as many elements if `isFixed` is true, otherwise of any number of these.
    case elements([SchemaSketch], isFixed: Bool)
    /// An object with arbitrary member names, or with names that fit a schema.
    case map(SchemaSketch?, names: JSONValue?)
    case object
    /// An enum case.
    case cases
    /// Exactly one of several forms.
    case alternatives([SchemaSketch])
  }

  /// A member of an object.
  struct Property {
    let name: String
    var sketch: SchemaSketch?
    var isOptional = false
    var isNullable = false
    /// The value of the member where it is absent, or `nil` if there is none, or it is `null`.
    var defaultValue: JSONValue?
    /// Whether the encoding of the type can lack the member.
    var isOmitted = false
  }

  /// A case of an enum.
  struct Case {
    let name: String
    let shape: CaseShape
    let payload: SchemaSketch
  }

  /// The names of the cases that the schema omits.
  var hiddenCases: [String] {
    cases.filter { $0.payload.properties.contains { $0.sketch?.isHidden == true } }.map(\.name)
  }

  /// Records the coding keys of an object.
  func note<Key: CodingKey>(keys type: Key.Type) {
    guard keyTypes.insert(ObjectIdentifier(type)).inserted else { return }
    keys += StoredMembers.names(of: type)
  }

  /// Updates a member, adding it if it is new.
  func property(_ name: String, _ change: (inout Property) -> Void) {
    requested.insert(name)
    if let position = properties.firstIndex(where: { $0.name == name }) {
      change(&properties[position])
    } else {
      var property = Property(name: name)
      change(&property)
      properties.append(property)
    }
  }

  /// Clears the sketch, including references to other sketches.
  func removeReferences() {
    form = .anything
    properties = []
    cases = []
  }
}
