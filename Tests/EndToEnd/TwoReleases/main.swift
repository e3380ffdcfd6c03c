import ReactorHost
import ReactorService

// Two releases of one application in one program: each reactor has the name of a change.

let release = ExtraSetting(
  "release", default: 1, .count(1...2), help: "The release whose types the reactors have.")
let holds = ExtraSetting("holds", default: 0, .count(0...1), help: "1: effects never end.")

CommandLineInterface.main(settings: [release.setting, holds.setting]) { context in
  let parts = changes.map {
    $0.parts(of: context.configuration[release], holds: context.configuration[holds] == 1)
  }
  try await context.serve(parts.flatMap(\.0), globals: parts.map(\.1))
}
