import ReactorCore
import ReactorHost

/// Only staff may apply a discount.
package struct CartDelegate: ReactorDelegate {
  package typealias Reactor = CartReactor

  package init() {}

  package func authorize(_ access: Access<CartReactor.Action>) throws {
    guard case .act(.applyDiscount) = access.request else { return }
    guard access.principal?.has(role: "staff") == true else {
      throw Forbidden("Only staff may apply a discount.")
    }
  }
}
