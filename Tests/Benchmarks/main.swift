import Foundation

// Rates and times of one run, side by side. The machine is shared, so a figure alone says little; the
// ratio of two that were taken in turns says a lot. Server on core 0, load on core 1, a fresh server
// for each measurement, warmed up, median of several.

let names = CommandLine.arguments.dropFirst()
if let unknown = names.first(where: { name in !Scenario.all.contains { $0.name == name } }) {
  print("There is no benchmark \(unknown). These are known:")
  for scenario in Scenario.all { print("  \(scenario.name): \(scenario.summary)") }
  exit(64)
}

/// What could not be measured; an aim that is missed is no failure.
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
