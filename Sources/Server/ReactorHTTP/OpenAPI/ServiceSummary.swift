internal import ReactorHost

/// `/llms.txt`: what the service does and hosts, in the form of llmstxt.org.
struct ServiceSummary {
  let table: EndpointTable
  /// The reactors that the client may see.
  let reactors: [any HostedReactor]

  /// The text, with relative links, since the service may be below a path.
  var markdown: String {
    """
    # reactord

    > An HTTP service that hosts reactors: state machines whose clients POST actions and follow the State as a stream of \
    server-sent events. A change is committed before its response.

    A session, `/v1/reactors/{reactor}/sessions/{session}`, is one instance of a reactor. The first action creates it:

    - `GET …/state` is its State, with a cursor in `ETag`.
    - `POST …/actions` with `Content-Type: application/json` executes an action, such as `"increase"` or `{"add":5}`, and \
    responds with the new State. With an `Idempotency-Key` a repetition is executed once.
    - `GET …/events` is the stream: the State, and then each new one. `Last-Event-ID` resumes.
    - Errors are `application/problem+json`; `detail` says what to do.

    The addresses:

    \(endpoints)

    ## Reactors

    \(catalogue)

    ## Interface

    - [OpenAPI](openapi.json): all requests, with the schemas of all reactors; `?reactor=NAME` describes one reactor
    - [AsyncAPI](asyncapi.json): the streams and their events
    - [Reactors](v1/reactors): the catalogue as JSON
    - [Problems](problems/): the meaning of each error

    ## Optional

    - [reactor.js](reactor.js): a client for pages, an ES module; its types are in [reactor.d.ts](reactor.d.ts)
    - [Inspector](inspector/): a page that shows sessions, their logs and effects

    """
  }

  private var endpoints: String {
    table.resources.filter { $0.template.hasPrefix("/v1/") }.flatMap { resource in
      resource.endpoints.map {
        "- `\($0.method.name) \(resource.template)`: \($0.operation().summary)"
      }
    }.joined(separator: "\n")
  }

  private var catalogue: String {
    reactors.map { reactor in
      let name = reactor.name
      let summary = reactor.summary.split(whereSeparator: \.isNewline).joined(separator: " ")
      return "- [\(name)](v1/reactors/\(name))" + (summary.isEmpty ? "" : ": \(summary)")
    }.joined(separator: "\n")
  }
}
