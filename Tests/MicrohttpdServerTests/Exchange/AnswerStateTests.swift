internal import ReactorHTTP
internal import Testing

@testable internal import MicrohttpdServer

@Suite struct AnswerStateTests {
  @Test func `an answer at once is there when the worker looks, and once only`() {
    var state = AnswerState()
    #expect(state.take() == nil)
    #expect(state.answer(status: 201) == "keep")
    #expect(state.take()?.status == 201)
    #expect(state.take() == nil)
  }

  @Test func `the worker is told of an answer that came after it turned away, once`() {
    var state = AnswerState()
    #expect(state.wait() == false)
    #expect(state.answer(status: 201) == "tell")
    #expect(state.answer(status: 202) == "discard 202")
    #expect(state.take()?.status == 201)
  }

  @Test func `an answer that came just before keeps the worker from turning away`() {
    var state = AnswerState()
    #expect(state.answer(status: 201) == "keep")
    #expect(state.wait() == true)
    #expect(state.take()?.status == 201)
  }

  @Test func `the second answer is for nobody, wherever the first one is`() {
    var state = AnswerState()
    #expect(state.answer(status: 201) == "keep")
    #expect(state.answer(status: 202) == "discard 202")
    _ = state.take()
    #expect(state.answer(status: 203) == "discard 203")
    _ = state.end()
    #expect(state.answer(status: 204) == "discard 204")
  }

  @Test func `an answer that the connection did not live to see is left over`() {
    var state = AnswerState()
    #expect(state.wait() == false)
    _ = state.answer(status: 201)
    #expect(state.endText() == "unsent 201")
    #expect(state.endText() == "nothing")
  }

  @Test func `a hand-off is left over for the loop`() {
    var state = AnswerState()
    _ = state.answer(status: 200)
    _ = state.take()
    state.handOff(HandOff(socket: 7, head: [], stream: nil, isChunked: false))
    #expect(state.endText() == "handOff 7")
    #expect(state.answer(status: 200) == "discard 200")
  }

  @Test func `a request that ends unanswered leaves nothing`() {
    var state = AnswerState()
    #expect(state.endText() == "nothing")
    #expect(state.answer(status: 200) == "discard 200")
  }
}

extension AnswerState {
  fileprivate mutating func answer(status: Int) -> String {
    switch answer(HTTPResponse(status: status)) {
    case .keep: "keep"
    case .tell: "tell"
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
