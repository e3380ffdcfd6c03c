import ReactorCore
import ReactorHost

/// Only staff may apply a discount.
struct CartDelegate: ReactorDelegate {
  typealias Reactor = CartReactor

  func authorize(_ access: Access<CartReactor.Action>) throws {
    guard case .act(.applyDiscount) = access.request else { return }
    guard access.principal?.has(role: "staff") == true else {
      throw Forbidden("Only staff may apply a discount.")
    }
  }
}
