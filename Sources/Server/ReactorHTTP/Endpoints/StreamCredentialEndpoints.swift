internal import Identity
internal import ReactorHost
internal import ReactorTransport

/// New credentials for open streams, so that a stream continues without a gap when a token expires.
struct StreamCredentialEndpoints {
  var all: [Endpoint] {
    [
      Endpoint(
        .post, "/v1/streams/{stream}/credential", needs: .read, reach: .credential,
        handler: replace,
        operation: Operation(
          "replaceStreamCredential", "Replace the credential of an open stream",
          detail: """
            The credential of this request, of the same principal, is that of the stream from now on. \
            `Stream-Id` in the head of the stream has its id.
            """,
          parameters: [.stream],
          responses: [.init(204, "The stream continues")],
          problems: [.foreignOrigin, .notFound]))
    ]
  }

  private func replace(_ call: Call) throws(Problem) -> HTTPResponse {
    let streams = call.scope.api.openStreams
    guard let authentication = call.scope.access, let id = StreamID(call["stream"]),
      let stream = streams[id], stream.isOpen(for: authentication.principal)
    else {
      throw Problem(
        .notFound,
        "No open stream of this principal has the id at this process. Open the stream again.")
    }
    for case .session(let reactor, let id) in stream.requirement.targets {
      try call.scope.askWebhook(stream.requirement.right, reactor, id)
    }
    guard stream.replace(authentication) else {
      throw .forbidden(stream.requirement.right)
    }
    return HTTPResponse(status: 204)
  }
}
