internal import ReactorCoding

/// What one method of an address does, as `/openapi.json` tells it.
struct Operation {
  /// One thing that may be answered, beside problems.
  struct Answer {
    /// The form of a body.
    enum Content {
      case json(JSONValue)
      case text(_ type: String)
      /// Goes on, so that no schema is that of the whole.
      case stream(_ type: String)
      case either(JSONValue, orText: String)
    }

    let status: Int
    let description: String
    var headers: [OpenAPIHeader] = []
    var content: Content?
  }

  let method: String
  /// The name for generated clients.
  let id: String
  let summary: String
  var detail = ""
  var parameters: [OpenAPIParameter] = []
  /// The schema of the body; `nil` for none.
  var body: JSONValue?
  var isBodyRequired = true
  var bodyExamples: [JSONValue.Member] = []
  let answers: [Answer]
  /// The problems that this operation has, beside those that every one has.
  var problems: [ProblemKind] = []
  /// Whether a reactor's own error may choose any status.
  var hasOwnProblems = false
}
