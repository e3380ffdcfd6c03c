// The view of the article "A SwiftUI view on a hosted reactor", compiled where SwiftUI exists.
#if canImport(SwiftUI)
  import ReactorClient
  import Reactors
  import SwiftUI

  struct CounterScreen: SwiftUI.View {
    @SwiftUI.State var counter: ObservedReactor<CounterReactor>

    var body: some SwiftUI.View {
      VStack {
        Text(String(describing: counter.state))
          .redacted(reason: counter.isLoaded ? [] : .placeholder)
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
#endif
