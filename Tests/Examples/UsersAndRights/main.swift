import ReactorHost
import ReactorService

CommandLineInterface.main { context in
  try await context.serve([
    ReactorRegistration("cart", summary: "A shopping cart", delegate: CartDelegate()) {
      CartReactor()
    }
  ])
}
