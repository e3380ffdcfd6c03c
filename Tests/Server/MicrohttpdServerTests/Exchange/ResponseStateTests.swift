internal import ReactorTransport
internal import Testing

@testable internal import MicrohttpdServer

@Suite struct ResponseStateTests {
  @Test func `an immediate response is taken by the worker, once`() {
    var state = ResponseState()
    #expect(state.take() == nil)
    #expect(state.respond(status: 201) == "none")
    #expect(state.take()?.status == 201)
    #expect(state.take() == nil)
  }

  @Test func `a response after the worker began to wait notifies it, once`() {
    var state = ResponseState()
    #expect(state.wait() == true)
    #expect(state.respond(status: 201) == "notify")
    #expect(state.respond(status: 202) == "discard 202")
    #expect(state.take()?.status == 201)
  }

  @Test func `a response just before the wait cancels the wait`() {
    var state = ResponseState()
    #expect(state.respond(status: 201) == "none")
    #expect(state.wait() == false)
    #expect(state.take()?.status == 201)
  }

  @Test func `a second response is discarded in every phase`() {
    var state = ResponseState()
    #expect(state.respond(status: 201) == "none")
    #expect(state.respond(status: 202) == "discard 202")
    _ = state.take()
    #expect(state.respond(status: 203) == "discard 203")
    _ = state.end()
    #expect(state.respond(status: 204) == "discard 204")
  }

  @Test func `the end of a request returns the response that was not sent`() {
    var state = ResponseState()
    #expect(state.wait() == true)
    _ = state.respond(status: 201)
    #expect(state.endText() == "unsent 201")
    #expect(state.endText() == "nothing")
  }

  @Test func `a hand-off is returned at the end`() {
    var state = ResponseState()
    _ = state.respond(status: 200)
    _ = state.take()
    state.handOff(HandOff(socket: 7, head: [], stream: nil, isChunked: false))
    #expect(state.endText() == "handOff 7")
    #expect(state.respond(status: 200) == "discard 200")
  }

  @Test func `a request that ends without a response leaves nothing`() {
    var state = ResponseState()
    #expect(state.endText() == "nothing")
    #expect(state.respond(status: 200) == "discard 200")
  }
}

extension ResponseState {
  fileprivate mutating func respond(status: Int) -> String {
    switch respond(HTTPResponse(status: status)) {
    case .none: "none"
    case .notify: "notify"
    case .discard(let response): "discard \(response.status)"
    }
  }

  fileprivate mutating func endText() -> String {
    switch end() {
    case .nothing: "nothing"
    case .handOff(let handOff): "handOff \(handOff.socket)"
    case .unsent(let response): "unsent \(response.status)"
    }
  }
}
