import ClientCore
import Dispatch
import Foundation
import ReactorClient
import ReactorCoding
import ReactorCore
import ReactorHost
import ReactorTestingHost
import Reactors
import Synchronization
import Testing

/// A client behind something that responds in the place of the server.
@Suite(.timeLimit(.minutes(60))) struct FrontTests {
  /// The responses with each status from 200 to 599 and each type of body.
  private static let responses = (200...599).flatMap { status in
    let problem = "application/problem+json"
    let bodies: [(type: String?, body: String)] = [
      (nil, ""), ("text/html", "<html><h1>\(status)</h1></html>"), ("application/json", "[]"),
      (problem, #"{"type":"https://gateway.example/quota","status":\#(status)}"#),
      (problem, #"{"type":"/problems/unknown-reactor","tit"#),
      // A type that the server sends with this status in no case, or asks to repeat.
      (problem, #"{"type":"/problems/\#(status == 503 ? "unavailable" : "session-gone")"}"#),
    ]
    return bodies.map { type, body in
      var fields = type.map { [(name: "Content-Type", value: $0)] } ?? []
      // The entity tag of a file of a web server looks like a cursor.
      if type == "text/html" { fields.append(("ETag", "\"5f3e1a2b-264\"")) }
      return TransportResponse(
        TransportHead(status: status, fields: fields), body: Array(body.utf8))
    }
  }

  @Test func `no response of a front loses, repeats or reorders an action, or ends a stream`()
    async throws
  {
    let front = Front(Self.responses)
    var configuration = ClientConfiguration()
    configuration.checksTypes = false
    let server = ReactorServer(transport: front, configuration: configuration)
    front.resume { [weak server] in server?.resume() }
    let counter = server.reactor(Counter.self, "counter", session: "a")
    var values = counter.state.map(\.value).values.makeAsyncIterator()
    for number in 1...20 { counter.action.onNext(.add(number)) }
    while let value = try await values.next(), value != 210 {}
    #expect(front.isPassed)
    let log = try await counter.log(limit: 1000)
    let amounts = log.compactMap { entry in
      entry.action.flatMap { Int(String(decoding: $0.bytes, as: UTF8.self).filter(\.isNumber)) }
    }
    #expect(amounts == Array(1...20))
  }

  @Test func `a rejection of the server ends an action behind a front, and the next one follows`()
    async throws
  {
    let front = Front([
      TransportResponse(
        TransportHead(status: 422, fields: [("Content-Type", "application/problem+json")]),
        body: Array(#"{"type":"/problems/invalid-action","title":"No","status":422}"#.utf8))
    ])
    let server = ReactorServer(transport: front)
    let counter = server.reactor(Counter.self, "counter", session: "a")
    var problems = counter.problems.values.makeAsyncIterator()
    let subscription = counter.problems.subscribe()
    counter.action.onNext(.add(1))
    #expect(try await problems.next()?.kind == .invalidAction)
    #expect(try await counter.send(.add(2)).value == 2)
    subscription.dispose()
  }
}

/// Responds in the place of a server: to each action and each stream with the next of its responses.
///
/// Every second action has reached the server before, and its response is lost.
private final class Front: ClientTransport {
  private struct State: Sendable {
    var actions: ArraySlice<TransportResponse>
    var streams: ArraySlice<TransportResponse>
    var resume: @Sendable () -> Void = {}
  }

  private let server = InProcessTransport(host: Host(Catalogue().reactors))
  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "front")

  init(_ responses: [TransportResponse]) {
    state = Mutex(
      State(actions: responses[...], streams: responses.count > 1 ? responses[...] : []))
  }

  /// Whether every response was delivered.
  var isPassed: Bool { state.withLock { $0.actions.isEmpty && $0.streams.isEmpty } }

  /// Sets the function that ends the pauses of the client.
  func resume(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.resume = body }
  }

  func send(
    _ request: TransportRequest,
    completion: @escaping @Sendable (Result<TransportResponse, Problem>) -> Void
  ) {
    let (response, resume, isForwarded) = state.withLock { state in
      let isAction = request.path.hasSuffix("/actions")
      return (isAction ? state.actions.popFirst() : nil, state.resume, state.actions.count % 2 == 1)
    }
    guard let response else { return server.send(request, completion: completion) }
    let respond: @Sendable () -> Void = { [queue] in
      queue.async {
        completion(.success(response))
        resume()
      }
    }
    guard isForwarded else { return respond() }
    server.send(request) { _ in respond() }
  }

  func open(
    _ request: TransportRequest, receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportConnection {
    let (response, resume) = state.withLock { ($0.streams.popFirst(), $0.resume) }
    guard let response else { return server.open(request, receive: receive) }
    queue.async {
      receive(.head(response.head))
      if !response.body.isEmpty { receive(.bytes(response.body)) }
      receive(.end(nil))
      resume()
    }
    return Closed()
  }

  func close() {}
}

private final class Closed: TransportConnection {
  func cancel() {}
}
