internal import ReactorService
internal import Reactors

CommandLineInterface.main { context in
  let catalogue = Catalogue()
  try await context.serve(catalogue.reactors, globals: catalogue.globals)
}
