/// What is known so far about the JSON of one type.
final class SchemaSketch {
  var form = Form.anything

  /// The members of an object, in the order in which they were asked for.
  var properties: [Property] = []

  /// The names of an enum's cases, all of them.
  var caseNames: [String] = []

  /// The payloads of the cases that were reached.
  var cases: [Case] = []

  /// Whether `null` may stand in place of the value.
  var isNullable = false

  /// The type's name, if it occurs inside itself and must be referred to.
  var definitionName: String?

  init(_ form: Form = .anything) {
    self.form = form
  }

  /// What stands there.
  enum Form {
    case anything
    case scalar(JSONValue)
    /// One of a few values.
    case values([JSONValue])
    /// What another type says.
    case wrapped(SchemaSketch)
    case array(SchemaSketch?)
    /// An object with any names.
    case map(SchemaSketch?)
    case object
    /// An enum's case.
    case cases
  }

  /// A member of an object.
  struct Property {
    let name: String
    var sketch: SchemaSketch?
    var isOptional = false
    var isNullable = false
  }

  /// A case of an enum.
  struct Case {
    let name: String
    let shape: CaseShape
    let payload: SchemaSketch
  }

  /// Changes what is known about a member, which need not be known yet.
  func property(_ name: String, _ change: (inout Property) -> Void) {
    if let position = properties.firstIndex(where: { $0.name == name }) {
      change(&properties[position])
    } else {
      var property = Property(name: name)
      change(&property)
      properties.append(property)
    }
  }

  /// Forgets everything, circles of references included.
  func dissolve() {
    form = .anything
    properties = []
    cases = []
  }
}
