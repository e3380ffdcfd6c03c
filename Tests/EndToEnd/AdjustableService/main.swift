import ReactorService
import Reactors

CommandLineInterface.main(settings: Adjustments.all) { context in
  let catalogue = Catalogue(
    weatherLatency: context.configuration[Adjustments.weatherLatency],
    bankLatency: context.configuration[Adjustments.bankLatency],
    stopwatchInterval: context.configuration[Adjustments.stopwatchInterval])
  try await context.serve(catalogue.reactors, globals: catalogue.globals)
}
