import ReactorHost
import ReactorService
import Reactors

let settings = [
  Setting(
    "watchdog", \.watchdog, .duration(0.5...3_600),
    help: "The time after which a service that does not respond is replaced."),
  Setting(
    "start.wait", \.startWait, .duration(0...3_600),
    help: "How long to wait at the start for the store."),
]

CommandLineInterface.main(settings: settings) { context in
  let (archive, catalogue) = ArchiveReactor.parts()
  try await context.serve(
    archive + [
      ReactorRegistration("faulty", summary: "Traps and blocks") { FaultyReactor() },
      ReactorRegistration("other", summary: "Also traps, in sessions of its own") {
        FaultyReactor()
      },
      ReactorRegistration("alarm", summary: "Schedules timers") { AlarmReactor() },
      ReactorRegistration(
        "board", summary: "Notes of teams", projection: BoardReactor.projection
      ) { BoardReactor() },
      ReactorRegistration(
        "crowd", summary: "A number for many audiences", projection: CrowdReactor.projection
      ) { CrowdReactor() },
      ReactorRegistration("door", summary: "Has private values") { DoorReactor() },
      ReactorRegistration("shelf", summary: "Has sets in its State") { ShelfReactor() },
      ReactorRegistration("ledger", summary: "Enters numbers") { LedgerReactor() },
      ReactorRegistration(
        "cautious", summary: "Enters numbers, and does not repeat an interrupted action",
        whenInterrupted: .giveUp
      ) { LedgerReactor() },
      ReactorRegistration("notes", summary: "Has a large State") { NotesReactor() },
      ReactorRegistration("purse", summary: "Transfers money to other purses") { PurseReactor($0) },
      ReactorRegistration("booking", summary: "A shipped reactor, with a bank in a file") {
        BookingReactor($0, bank: FileBank())
      },
      ReactorRegistration("hall", summary: "The seats of bookings") { HallReactor() },
      ReactorRegistration("dice", summary: "Draws random numbers in reduce") { DiceReactor() },
      ReactorRegistration("counter", summary: "Has the name of a shipped reactor") {
        FaultyReactor()
      },
    ], globals: [catalogue]
  ) { host in
    // Without changes.keep there are no changes.
    guard host.changeFeed != nil else { return }
    for try await change in try host.changes(after: .oldest) {
      context.logger.info("a change was followed", ["session": change.key?.id ?? "none"])
    }
  }
}
