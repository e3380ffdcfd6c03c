import ReactorHost
import ReactorService

CommandLineInterface.main { context in
  try await context.serve([
    ReactorRegistration("todo", summary: "Things to do", exampleActions: [.add("Buy milk")]) {
      TodoReactor()
    }
  ])
}
