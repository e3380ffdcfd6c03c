import Foundation

// Measures rates and times of several contestants in one run. On a shared machine a single figure
// says little; the ratio of alternating measurements is stable. Server on core 0, load on core 1, a
// new server per measurement, warmed up, median of several.

let names = CommandLine.arguments.dropFirst()
// Measure the process that serves: no supervisor.
setenv("REACTORD_SUPERVISE", "false", 1)
if let unknown = names.first(where: { name in !Scenario.all.contains { $0.name == name } }) {
  print("There is no benchmark \(unknown). These are known:")
  for scenario in Scenario.all { print("  \(scenario.name): \(scenario.summary)") }
  exit(64)
}

/// The number of failed measurements.
///
/// A missed target does not count.
var failures = 0
do {
  let bench = try Bench()
  if Machine.isBusy { print("The machine is busy (load average \(Machine.loadAverage)).") }
  for scenario in Scenario.all
  where names.isEmpty ? scenario.isPartOfAll : names.contains(scenario.name) {
    do {
      try await bench.run(scenario)
    } catch {
      failures += 1
      FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
    }
  }
  try bench.finish()
} catch {
  FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
  exit(1)
}
exit(failures == 0 ? 0 : 1)
