import ReactorHost
import ReactorService

CommandLineInterface.main { context in
  try await context.serve([
    ReactorRegistration("faulty", summary: "Traps and blocks") { FaultyReactor() },
    ReactorRegistration("other", summary: "Also traps, in sessions of its own") { FaultyReactor() },
    ReactorRegistration("alarm", summary: "Schedules timers") { AlarmReactor() },
    ReactorRegistration("counter", summary: "Has the name of a shipped reactor") {
      FaultyReactor()
    },
  ])
}
