import CartReactors
import ReactorHost
import ReactorService

CommandLineInterface.main { context in
  try await context.serve([
    ReactorRegistration(
      "cart", summary: "A shopping cart", exampleActions: [.add("Tea"), .applyDiscount],
      delegate: CartDelegate()
    ) {
      CartReactor()
    },
    ReactorRegistration(
      "board", summary: "Notes of several users", exampleActions: [.open, .invite("eve")],
      delegate: BoardDelegate()
    ) {
      BoardReactor()
    },
  ])
}
