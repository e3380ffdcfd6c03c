internal import ReactorCoding

/// The description of one endpoint in `/openapi.json`.
struct Operation: Sendable {
  /// A schema of the document.
  indirect enum Schema: Sendable {
    /// A component that does not depend on the hosted reactors.
    case component(String)
    /// The State of any hosted reactor.
    case state
    /// The State of any hosted reactor, or a selected part of it.
    case statePart
    /// An action of any hosted reactor, or an array of actions.
    case actions
    /// The value of any global.
    case global
    case inline(JSONValue)
    /// The data of an event about one of several sessions.
    case ofSession(Schema)
  }

  /// One kind of response, except for problems.
  struct Response: Sendable {
    enum Content: Sendable {
      case json(Schema)
      case text(_ type: String)
      /// A stream of events, which `/asyncapi.json` describes.
      case stream([StreamMessage])
      case either(Schema, orText: String)
    }

    let status: Int
    let description: String
    let headers: [OpenAPIHeader]
    let content: Content?

    init(
      _ status: Int, _ description: String, headers: [OpenAPIHeader] = [], _ content: Content? = nil
    ) {
      self.status = status
      self.description = description
      self.headers = headers
      self.content = content
    }
  }

  /// The name of the operation in generated clients.
  let id: String
  let summary: String
  let detail: String
  let parameters: [OpenAPIParameter]
  /// The schema of the body, or `nil` for none.
  let body: Schema?
  let isBodyRequired: Bool
  let responses: [Response]
  /// The problems of this operation, in addition to those of every operation.
  let problems: [ProblemKind]
  /// Whether an error of a reactor may set any status.
  let hasOwnProblems: Bool

  init(
    _ id: String, _ summary: String, detail: String = "", parameters: [OpenAPIParameter] = [],
    body: Schema? = nil, isBodyRequired: Bool = true, responses: [Response],
    problems: [ProblemKind], hasOwnProblems: Bool = false
  ) {
    self.id = id
    self.summary = summary
    self.detail = detail
    self.parameters = parameters
    self.body = body
    self.isBodyRequired = isBodyRequired
    self.responses = responses
    self.problems = problems
    self.hasOwnProblems = hasOwnProblems
  }

  /// Describes an endpoint whose only response is 200 with some content.
  init(
    _ id: String, _ summary: String, parameters: [OpenAPIParameter] = [],
    content: Response.Content, problems: [ProblemKind] = []
  ) {
    self.init(
      id, summary, parameters: parameters, responses: [Response(200, summary, content)],
      problems: problems + [.notAcceptable])
  }
}
