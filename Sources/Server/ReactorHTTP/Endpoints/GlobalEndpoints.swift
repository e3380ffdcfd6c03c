internal import Identity
internal import ReactorLog
internal import ReactorCoding
internal import ReactorHost
internal import ReactorTransport

/// The globals: values that all sessions share.
struct GlobalEndpoints {
  let host: Host

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/globals", needs: .read, handler: list,
        operation: Operation(
          "listGlobals", "The values that all sessions share",
          content: .json(.component("GlobalList")))),
      Endpoint(
        .get, "/v1/globals/{global}", needs: .read, handler: show,
        operation: Operation(
          "readGlobal", "The value of a global", parameters: [.global, .ifNoneMatch],
          responses: [
            .init(200, "The value", headers: [.etag], .json(.global)),
            .init(304, "The client has this value already", headers: [.etag]),
          ],
          problems: [.invalidParameter, .unknownGlobal, .notAcceptable])),
      Endpoint(
        .put, "/v1/globals/{global}", needs: .admin, traits: .takesPreconditions, handler: set,
        operation: Operation(
          "setGlobal", "Set a global for all sessions",
          parameters: [.global, .ifMatch, .ifNoneMatch],
          body: .global,
          responses: [.init(200, "The new value", headers: [.etag], .json(.global))],
          problems: [
            .malformedJSON, .invalidParameter, .foreignOrigin, .unknownGlobal, .versionMismatch,
            .unsupportedMediaType, .invalidBody, .notAcceptable, .bodyTooLarge, .changeTooLarge,
            .storageFull,
          ])),
    ]
  }

  private struct Listing: Encodable {
    struct Entry: Encodable {
      struct Links: Encodable {
        let `self`: String
        let events: String
      }

      let name: String
      let links: Links
    }

    let globals: [Entry]
  }

  private func list(_ call: Call) throws(Problem) -> HTTPResponse {
    try call.negotiate()
    return .json(
      encoding: Listing(
        globals: host.globals.map {
          let address = "\(call.scope.api.settings.prefix)/v1/globals/\($0.name)"
          return Listing.Entry(
            name: $0.name, links: .init(self: address, events: address + "/events"))
        }))
  }

  private func show(_ call: Call) throws(Problem) -> HTTPResponse {
    let global = try host.readableGlobal(call["global"])
    try call.negotiate()
    let value = VisibleState(ofGlobal: global.current)
    let known = try EntityTags(of: call.request, in: .ifNoneMatch, name: "If-None-Match")
    if let response = HTTPResponse.notModified(value, since: global.formerVersion, known) {
      return response
    }
    return .state(value)
  }

  private func set(_ call: Call) async throws(Problem) -> HTTPResponse {
    let global = try host.sharedGlobal(call["global"])
    try call.negotiate()
    try call.requireJSON()
    let preconditions = try Preconditions(of: call.request)
    do {
      let state = try await global.set(json: call.request.body, where: preconditions.hold)
      return .state(VisibleState(ofGlobal: state))
    } catch LogError.lost {
      throw Preconditions.problem("global", at: global.current.cursor)
    } catch let error as ActionDecodingError {
      throw Problem(error, kind: .invalidBody)
    } catch {
      throw Problem(error as? LogError ?? .corrupt("\(error)"))
    }
  }
}
