import ReactorCore
import ReactorFlows
import ReactorTesting
import Testing

@testable import Reactors

/// The flow `order` and its modules, from a State of before.
struct OrderContinuationTests {
  @Test func `a payment continues in another process, and after an error`() {
    struct NoConnection: Error {}
    final class UnreliableBank: Bank {
      let calls = PublishSubject<Result<String, NoConnection>>()
      func pay(_ amount: Int) -> Observable<String> {
        calls.take(1).map { try $0.get() }
      }
    }
    let bank = UnreliableBank()
    var state = PaymentReactor.State(amount: 4)
    state.isPaying = true
    let payment = PaymentReactor(bank: bank)
    payment.pipeline.connect(from: state, in: payment.pipeline) { _ in nil }
    payment.action.onNext(.pay)
    bank.calls.onNext(.failure(NoConnection()))
    #expect(!payment.currentState.isPaying)
    payment.action.onNext(.pay)
    payment.action.onNext(.pay)
    #expect(payment.currentState.isPaying)
    bank.calls.onNext(.success("R"))
    #expect(!payment.currentState.isPaying)
  }

  @Test func `the flow is driven with its actions`() async throws {
    let test = ReactorTest(OrderFlow(bank: FakeBank()))
    // The expected State is that of another flow after the same action.
    await test.send(.stack(.open("/drinks/Latte"))) { state in
      state = try Self.state(state, at: "/drinks/Latte")
    }
    await test.send(.stack(.dismiss("2"))) { $0 = try Self.state($0, at: "/") }
    await test.send(.stack(.dismiss("2")))
    await test.finish()
  }

  /// The State after `open`, from a flow of its own.
  private static func state(_ state: OrderFlow.State, at path: String) throws -> OrderFlow.State {
    let flow = OrderFlow(bank: FakeBank())
    flow.pipeline.connect(from: state, in: flow.pipeline) { _ in nil }
    flow.action.onNext(.stack(.open(path)))
    return flow.currentState
  }
}
