/// The files of a package with reactors, their tests, their page and a daemon that hosts them.
///
/// The package under `Tests/Examples/NewPackage`, which is compiled, tested and started with this project, is the
/// template for the name `todo`; a test compares them.
struct PackageTemplate {
  let name: PackageName
  let source: PackageSource

  /// The example whose reactors the package has, or `nil` for a reactor that is written from the name.
  var example: PackageExample?

  /// Whether the package has `RxBridge.swift`, and depends on RxSwift.
  var hasRx = false

  /// The files by their path in the package, in the order in which they are written.
  var files: [(path: String, text: String)] {
    let content = example ?? ownReactor
    // The project's own module has another name.
    let tests = content.tests.map { file in
      let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false).map {
        $0.hasPrefix("@testable import ") ? "@testable import \(name.module)" : $0
      }
      return ("Tests/\(name.module)Tests/\(file.path)", lines.joined(separator: "\n"))
    }
    return [("Package.swift", manifest(content.products))]
      + content.sources.map { ("Sources/\(name.module)/\($0.path)", $0.text) }
      + (hasRx ? [("Sources/\(name.module)/RxBridge.swift", Self.bridge)] : [])
      + [("Sources/\(name.text)/main.swift", main(content.registrations))] + tests
      + content.pages.map { ("public/\($0.path)", $0.text) } + [
        ("Makefile", makefile),
        ("Dockerfile", dockerfile),
        (".gitignore", ".build/\ndata/\n"),
        ("README.md", readme(content)),
      ]
  }

  /// A list of things to do.
  private var ownReactor: PackageExample {
    PackageExample(
      name: name.text, products: ["ReactorCore"],
      sources: [("\(name.type)Reactor.swift", reactor)],
      tests: [("\(name.type)ReactorTests.swift", tests)], pages: [("index.html", page)],
      registrations: """
            ReactorRegistration(
              "\(name.text)", summary: "Things to do", exampleActions: [.add("Buy milk"), .finish(0)]
            ) {
              \(name.type)Reactor()
            }
        """,
      session: "\(name.text)/sessions/home",
      commands: [
        #"curl --json '{"add":"Buy milk"}' $session/actions"#,
        #"curl --json '{"finish":0}' $session/actions"#, "curl $session/state",
      ])
  }

  private func manifest(_ products: [String]) -> String {
    let needed =
      products.map { #".product(name: "\#($0)", package: "\#(source.identity)")"# }
      + (hasRx ? [#".product(name: "RxSwift", package: "RxSwift")"#] : [])
    let rx = #".package(url: "https://github.com/ReactiveX/RxSwift.git", from: "6.0.0")"#
    let dependencies =
      needed.count == 1
      ? needed[0]
      : "\n" + needed.map { "        \($0),\n" }.joined() + "      "
    return """
      // swift-tools-version: 6.2
      import PackageDescription

      let package = Package(
        name: "\(name.text)",
        dependencies: [\(source.dependency)\(hasRx ? ", \(rx)" : "")],
        targets: [
          // The reactor, also for phones, needs ReactorCore. ReactorFlows adds flows of screens,
          // ReactorSessions sends to other sessions, ReactorRx the rest of RxSwift.
          .target(
            name: "\(name.module)",
            dependencies: [\(dependencies)]),
          // The daemon: ReactorHost registers reactors, ReactorService has the command line and the store. An
          // app or another program that uses the daemon needs ReactorClient instead.
          .executableTarget(
            name: "\(name.text)",
            dependencies: [
              "\(name.module)",
              .product(name: "ReactorHost", package: "\(source.identity)"),
              .product(name: "ReactorService", package: "\(source.identity)"),
            ]),
          // ReactorTesting tests a reactor by its exact states; ReactorTestingHost tests a hosted one.
          .testTarget(
            name: "\(name.module)Tests",
            dependencies: [
              "\(name.module)", .product(name: "ReactorTesting", package: "\(source.identity)"),
            ]),
        ]
      )

      """
  }

  private var reactor: String {
    """
    import ReactorCore

    /// A list of things to do, one per session.
    package final class \(name.type)Reactor: Reactor {
      /// The requests of clients: `{"add":"Buy milk"}`, `{"finish":0}`.
      package enum Action: Codable, Sendable {
        case add(String)
        case finish(Int)
      }

      /// The changes of the state, as the log stores them.
      package enum Mutation: Codable, Sendable {
        case append(String)
        case finish(Int)
      }

      /// The state that subscribers receive.
      package struct State: Codable, Equatable, Sendable {
        package struct Item: Codable, Equatable, Sendable {
          package var title: String
          package var isDone = false
        }

        package var items: [Item] = []
      }

      package let initialState = State()

      package init() {}

      package func mutate(action: Action) -> Observable<Mutation> {
        switch action {
        case .add(let title):
          return .just(.append(title))
        case .finish(let index):
          // The index comes from the network, and may be out of range.
          guard currentState.items.indices.contains(index) else {
            return .error(NoSuchItem(index: index))
          }
          return .just(.finish(index))
        }
      }

      package func reduce(state: State, mutation: Mutation) -> State {
        var state = state
        switch mutation {
        case .append(let title): state.items.append(.init(title: title))
        case .finish(let index): state.items[index].isDone = true
        }
        return state
      }
    }

    /// The response to an index without an item.
    struct NoSuchItem: ActionError, Equatable {
      let index: Int
      var status: Int { 404 }
      var title: String { "There is no item \\(index)" }
    }

    """
  }

  private func main(_ registrations: String) -> String {
    """
    import \(name.module)
    import ReactorHost
    import ReactorService

    CommandLineInterface.main { context in
      try await context.serve([
    \(registrations)
      ])
    }

    """
  }

  private var tests: String {
    """
    import ReactorTesting
    import Testing

    @testable import \(name.module)

    struct \(name.type)ReactorTests {
      @Test func `an item is added and finished`() async {
        let test = ReactorTest(\(name.type)Reactor())
        await test.send(.add("Buy milk")) { $0.items = [.init(title: "Buy milk")] }
        await test.send(.finish(0)) { $0.items[0].isDone = true }
        await test.finish()
      }

      @Test func `an item that does not exist cannot be finished`() async {
        let test = ReactorTest(\(name.type)Reactor())
        await test.send(.finish(7))
        await test.receive(failure: NoSuchItem(index: 7))
        await test.finish()
      }
    }

    """
  }

  private var page: String {
    """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(name.text)</title>
    <link rel="icon" href="./icon.svg">
    <style>
      body { font: 1.1rem/1.5 system-ui; color-scheme: light dark; max-width: 30rem; margin: 2rem auto; padding: 0 1rem; }
      .done { text-decoration: line-through; }
    </style>
    <main>
      <h1>\(name.text)</h1>
      <form><label>To do <input name="title" required autocomplete="off"></label> <button>Add</button></form>
      <ul></ul>
      <p role="alert"></p>
    </main>
    <script type="module">
      import { items, on, reactor } from "./reactor.js";

      const todo = reactor("\(name.text)", "home");
      const [form, list, alert] = ["form", "ul", "p"].map((name) => document.querySelector(name));
      const report = (problem) => { alert.textContent = problem?.message ?? ""; };

      // Action
      on(form, "submit").map((event) => {
        event.preventDefault();
        const action = { add: form.elements.title.value };
        form.reset();
        report();
        return action;
      }).to(todo, report);

      // State: the element of an item stays while the item does.
      todo.state.drive(items(list, (state) => state.items, {
        make({ title }, index) {
          const [card, button] = ["li", "button"].map((name) => document.createElement(name));
          button.textContent = "Done";
          button.setAttribute("aria-label", `${title} is done`);
          on(button, "click").map(() => ({ finish: index })).to(todo, report);
          card.append(title, " ", button);
          return card;
        },
        update(card, { isDone }) {
          card.className = isDone ? "done" : "";
          card.querySelector("button").hidden = isDone;
        },
      }));
    </script>
    </html>

    """
  }

  private static let bridge = """
    import ReactorCore
    import RxSwift

    // Streams of RxSwift in a reactor, and streams of a reactor in an app with RxSwift. Name the module where both are
    // imported: `ReactorStreams.Observable`, `RxSwift.Observable`.

    extension ReactorStreams.ObservableConvertibleType {
      /// The same events as a stream of RxSwift.
      func asRxObservable() -> RxSwift.Observable<Element> {
        RxSwift.Observable.create { observer in
          // Proof: the stream calls its observer by one thread at a time.
          nonisolated(unsafe) let observer = observer
          let subscription = self.asObservable().subscribe(
            onNext: { observer.onNext($0) }, onError: { observer.onError($0) },
            onCompleted: { observer.onCompleted() })
          return RxSwift.Disposables.create { subscription.dispose() }
        }
      }
    }

    extension RxSwift.ObservableConvertibleType where Element: Sendable {
      /// The same events as a stream of this project.
      func asReactorObservable() -> ReactorStreams.Observable<Element> {
        // Proof: a stream of RxSwift takes a subscription, and its end, on any thread.
        nonisolated(unsafe) let stream = asObservable()
        return ReactorStreams.Observable.create { observer in
          nonisolated(unsafe) let subscription = stream.subscribe(
            onNext: { observer.onNext($0) }, onError: { observer.onError($0) },
            onCompleted: { observer.onCompleted() })
          return ReactorStreams.Disposables.create { subscription.dispose() }
        }
      }
    }

    """

  private var makefile: String {
    """
    .PHONY: run test image packages

    # The address of `make run`.
    LISTEN ?= 127.0.0.1:8080

    run: packages ## Build and start the daemon on LISTEN (127.0.0.1:8080), with the pages in public.
    	swift run \(name.text) serve --listen $(LISTEN) --pages public

    test: packages ## Run the tests.
    	swift test

    image: ## Build the image.
    	\(imageCommand)

    packages: # Install the Debian packages of reactord that are missing.
    	@swift package resolve
    	@\(source.folder)/config/install-packages toolchain build

    """
  }

  private var imageCommand: String {
    switch source {
    case .path(let path): "docker build --build-context reactord=\(path) -t \(name.text) ."
    case .url: "docker build -t \(name.text) ."
    }
  }

  private var dockerfile: String {
    var text = """
      FROM swift:6.3-bookworm AS build
      WORKDIR /build/\(name.text)

      """
    if case .path(let path) = source {
      text += """
        # The sources of reactord: docker build --build-context reactord=\(path) …
        COPY --from=reactord . \(path)

        """
    }
    text += """
      COPY Package.swift ./
      COPY Sources Sources
      COPY Tests Tests
      RUN swift package resolve \\
        && \(source.folder)/config/install-packages build \\
        && swift build -c release --static-swift-stdlib --product \(name.text) \\
        && \(source.folder)/config/image-root /image .build/release/\(name.text) 0.1.0

      # The binary, the libraries that it loads, and no shell or package manager.
      FROM scratch
      COPY --from=build /image /
      COPY public /usr/share/\(name.text)/public

      USER 10001:0
      WORKDIR /var/lib/\(name.text)
      VOLUME /var/lib/\(name.text)
      # A loopback address inside a container cannot be reached from outside.
      ENV REACTORD_LISTEN=0.0.0.0:8080 REACTORD_PAGES=/usr/share/\(name.text)/public
      EXPOSE 8080
      HEALTHCHECK --interval=10s --timeout=5s --start-period=5s CMD ["\(name.text)", "health"]
      STOPSIGNAL SIGTERM
      ENTRYPOINT ["\(name.text)"]
      CMD ["serve"]

      """
    return text
  }

  private func readme(_ content: PackageExample) -> String {
    """
    # \(name.text)

    A daemon that hosts the reactors in `Sources/\(name.module)` with reactord.

    ```sh
    make test
    make run
    ```

    The page at <http://127.0.0.1:8080/> is `public/index.html`: a change is there after a reload. In another terminal:

    ```sh
    session=http://127.0.0.1:8080/v1/reactors/\(content.session)
    \(content.commands.joined(separator: "\n"))
    ```

    The inspector at <http://127.0.0.1:8080/inspector/> shows all sessions.

    """
  }
}
