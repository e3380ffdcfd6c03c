import Foundation

extension Scenario {
  /// One session with 100 streams of patches, whose State has 512 KiB or 1 KiB.
  ///
  /// Each action changes about half a kilobyte; those of the small State replace one of its two elements. The
  /// difference between the two is the cost of the size of the State; the time in which Foundation encodes the
  /// larger one is beside it.
  static var largeState: Scenario {
    Scenario(
      name: "large-state",
      summary: "100 streams of patches of a State of 512 KiB with 1,000 elements"
    ) { bench in
      let small = Contestants(bench: bench).notes(2)
      bench.report(
        Figure(
          load: "encode the State once", contestant: "Foundation", unit: "ms",
          value: Sample((0..<bench.rounds).map { _ in FoundationEncoding().time() })))
      for (load, action) in NotesAction.all {
        let contestants = [small, Contestants(bench: bench).notes(1_000)]
        let outcomes = try bench.inTurns(contestants) { contestant in
          try ActionLoad.notes(
            contestant.start(), contestant,
            contestant.name == small.name ? NotesAction.replacement : action
          ).run(streams: 100, actions: 300)
        }
        let base = (outcomes[small.name] ?? []).map(\.actionTime)
        for contestant in contestants {
          let own = (outcomes[contestant.name] ?? []).map(\.actionTime)
          let added = zip(own, base).map { $0 - $1 }
          let isSmall = contestant.name == small.name
          bench.report(
            Figure(
              load: load, contestant: contestant.name, unit: "ms of CPU", value: Sample(own),
              ratio: isSmall ? nil : .init(to: small.name, value: Sample(own, dividedBy: base))))
          guard !isSmall else { continue }
          bench.report(
            Figure(
              load: load, contestant: "because of the size", unit: "ms of CPU",
              value: Sample(added), aim: .atMost(0.3)))
        }
      }
    }
  }
}

/// The actions on a State of notes.
private enum NotesAction {
  static var all: [(load: String, json: (_ number: Int) -> String)] {
    [
      ("append", { #"{"append":"\#(text($0))"}"# }),
      ("edit", { #"{"edit":{"index":\#($0 * 7 % 1_000),"text":"\#(text($0))"}}"# }),
      ("remove the first, append", replacement),
    ]
  }

  /// Removes the first element and appends one.
  static func replacement(_ number: Int) -> String { #"{"rotate":"\#(text(number))"}"# }

  private static func text(_ number: Int) -> String {
    "\(number): " + String(repeating: "a changed note of words ", count: 17)
  }
}

extension Contestants {
  fileprivate func notes(_ count: Int) -> Contestant {
    let session = "/v1/reactors/notes/sessions/\(count)"
    return Contestant(
      name: count == 1_000 ? "reactord, 512 KiB" : "reactord, 1 KiB",
      events: session + "/events?delta=patch", actions: session + "/actions"
    ) {
      try startReactord(store: "memory", program: bench.programs.appending(path: "faulty"))
    }
  }
}

extension ActionLoad {
  fileprivate static func notes(
    _ server: ServerUnderTest, _ contestant: Contestant, _ action: @escaping (Int) -> String
  ) -> Self {
    let count = contestant.actions.split(separator: "/").dropLast().last ?? ""
    var number = 0
    return ActionLoad(
      server: server, contestant: contestant, preparation: [#"{"fill":\#(count)}"#]
    ) {
      number += 1
      return action(number)
    }
  }
}

/// The State of 512 KiB in the encoder of Foundation.
private struct FoundationEncoding {
  private struct Note: Codable {
    var number: Int
    var author = "ada"
    var text = String(repeating: "A note of some words. ", count: 19)
    var tags: [String]
    var isDone = false
  }

  private let notes = (0..<1_000).map { Note(number: $0, tags: ["note", "number \($0)"]) }

  /// The time of one encoding in milliseconds: the least of several.
  func time() -> Double {
    let clock = ContinuousClock()
    let times = (0..<20).compactMap { _ in
      try? clock.measure { _ = try JSONEncoder().encode(["notes": notes]) } / .milliseconds(1)
    }
    return times.min() ?? .nan
  }
}
