import ReactorCore
import ReactorFlows
import ReactorTesting
import Testing

@testable import Reactors

/// A bank that a test controls.
struct FakeBank: Bank {
  let receipts = PublishSubject<String>()

  func pay(_ amount: Int) -> Observable<String> { receipts.take(1).map { "\($0)-\(amount)" } }
}

/// The flow `order` and its modules, each alone.
struct OrderFlowTests {
  @Test func `a module is tested alone, as any reactor`() async {
    let test = ReactorTest(DrinkReactor())
    await test.send(.size(.large)) { $0.size = .large }
    await test.send(.add) { _ in }
    await test.finish()
  }

  @Test func `a payment is executed once`() async {
    let bank = FakeBank()
    let test = ReactorTest(PaymentReactor(bank: bank))
    await test.send(.pay) { $0.isPaying = true }
    bank.receipts.onNext("R")
    await test.receive { $0.isPaying = false }
    await test.finish()
  }

  @Test func `a payment is executed again after its effect was cancelled`() {
    let bank = FakeBank()
    let payment = PaymentReactor(bank: bank)
    let results = Recorder<String>()
    func pay() -> any Disposable {
      payment.mutate(action: .pay).subscribe(
        onNext: { results.add("\($0)") }, onError: { _ in results.add("failed") })
    }
    let attempt = pay()
    _ = pay()
    attempt.dispose()
    let repeated = pay()
    bank.receipts.onNext("R")
    #expect(results.values == ["begin", "failed", "begin", #"paid(receipt: "R-0")"#])
    repeated.dispose()
  }

  @Test func `the checkout can be left after a failed payment`() {
    struct NoConnection: Error {}
    let bank = FakeBank()
    let flow = OrderFlow(bank: bank)
    func send(_ action: StackAction<OrderFlow>) { flow.action.onNext(.stack(action)) }
    func sendInside(_ action: StackAction<CheckoutFlow>) {
      send(.send(.stack(action), to: "3", of: CheckoutFlow.self))
    }
    send(.send(.choose("Latte"), to: "1", of: MenuReactor.self))
    send(.send(.add, to: "2", of: DrinkReactor.self))
    flow.action.onNext(.checkout)
    sendInside(.send(.proceed, to: "1", of: TipReactor.self))
    sendInside(.send(.pay, to: "2", of: PaymentReactor.self))
    bank.receipts.onError(NoConnection())
    send(.dismiss("3"))
    #expect(flow.currentState.stack.entries.map(\.screen) == ["menu"])
    #expect(flow.currentState.abandoned == 1)
  }

  @Test func `an order is paid, and its checkout is not counted as abandoned`() {
    let bank = FakeBank()
    let flow = OrderFlow(bank: bank)
    func send(_ action: StackAction<OrderFlow>) { flow.action.onNext(.stack(action)) }
    func sendInside(_ action: StackAction<CheckoutFlow>) {
      send(.send(.stack(action), to: "3", of: CheckoutFlow.self))
    }
    send(.send(.choose("Latte"), to: "1", of: MenuReactor.self))
    send(.send(.add, to: "2", of: DrinkReactor.self))
    flow.action.onNext(.checkout)
    sendInside(.send(.proceed, to: "1", of: TipReactor.self))
    sendInside(.send(.pay, to: "2", of: PaymentReactor.self))
    #expect(flow.children.map(\.entry.screen) == ["checkout"])
    // The checkout stays while the bank is called.
    send(.dismiss("3"))
    #expect(flow.currentState.stack.entries.count == 2)
    bank.receipts.onNext("R")
    #expect(flow.currentState.receipt == "R-4")
    #expect(flow.currentState.abandoned == 0)
    #expect(flow.currentState.stack.entries.map(\.screen) == ["menu"])
    #expect(flow.children.isEmpty)
  }
}
