// The views of the article "A SwiftUI view on a hosted reactor", compiled where SwiftUI exists.
#if canImport(SwiftUI)
  import ReactorClient
  import SwiftUI

  struct CounterScreen: SwiftUI.View {
    @SwiftUI.State var counter: ObservedReactor<Counter>

    var body: some SwiftUI.View {
      VStack {
        Text("\(counter.state.value)").redacted(reason: counter.isLoaded ? [] : .placeholder)
        Button("Increase") { counter.send(.increase) }
        if counter.connection != .live { ProgressView() }
      }
      .alert("Not done", isPresented: .constant(counter.problem != nil)) {
        Button("OK") { counter.problem = nil }
      } message: {
        Text(counter.problem?.description ?? "")
      }
    }
  }

  struct CounterApp: App {
    // swift-format-ignore: NeverForceUnwrap
    let server = ReactorServer(url: URL(string: "https://api.example.org")!)
    @Environment(\.scenePhase) private var phase

    var body: some Scene {
      WindowGroup {
        CounterScreen(
          counter: ObservedReactor(server.reactor(Counter.self, "counter", session: "demo")))
      }
      .onChange(of: phase) { phase == .active ? server.resume() : server.pause() }
    }
  }
#endif
