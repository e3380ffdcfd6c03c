import ReactorCore
import ReactorHost
import ReactorService

let example = RoomReactor.Parameters(title: "Tea", closesAt: .now + .seconds(3600))

CommandLineInterface.main { context in
  try await context.serve([
    ReactorRegistration("directory", summary: "The open rooms") {
      DirectoryReactor()
    },
    ReactorRegistration(
      "room", summary: "A room with a title", parameters: RoomReactor.Parameters.self,
      exampleParameters: example, exampleActions: [.open, .close]
    ) { session in
      RoomReactor(session)
    },
  ])
}
