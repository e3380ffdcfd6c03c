import ReactorCore
import ReactorTesting
import Testing

@testable import CartReactors

struct CartReactorTests {
  @Test func `a discount has the name of the user who applies it`() async {
    let test = ReactorTest(CartReactor())
    await test.send(.add("Tea")) { $0.items = ["Tea"] }
    let request = RequestContext(id: "r", principal: Principal(id: "sam"))
    await RequestContext.$current.withValue(request) {
      await test.send(.applyDiscount) { $0.discountedBy = "sam" }
    }
    await test.finish()
  }
}
