internal import ReactorService

CommandLineInterface.main(settings: ReactorSettings.all) { context in
  await context.termination.requested()
}
