internal import ReactorService
internal import Reactors

CommandLineInterface.main(settings: ReactorSettings.all) { context in
  let catalogue = Catalogue(
    weatherLatency: context.configuration[ReactorSettings.weatherLatency],
    bankLatency: context.configuration[ReactorSettings.bankLatency],
    stopwatchInterval: context.configuration[ReactorSettings.stopwatchInterval])
  try await context.serve(catalogue.reactors, globals: catalogue.globals)
}
