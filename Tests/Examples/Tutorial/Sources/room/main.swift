import ReactorHost
import ReactorService
import Rooms

CommandLineInterface.main { context in
  try await context.serve([
    ReactorRegistration("room", summary: "A room to talk in", exampleActions: [.join("Ada")]) {
      RoomReactor()
    }
  ])
}
