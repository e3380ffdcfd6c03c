import ReactorCore
import ReactorTesting
import Testing

@testable import CartReactors

struct CartReactorTests {
  @Test func `a discount has the name of its user`() async {
    let test = ReactorTest(CartReactor())
    await test.send(.add("Tea")) { $0.items = ["Tea"] }
    test.principal = Principal(id: "sam")
    await test.send(.applyDiscount) { $0.discountedBy = "sam" }
    await test.finish()
  }
}
