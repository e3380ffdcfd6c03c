/// The files of a package with reactors, their tests, their page and a daemon that hosts them.
///
/// The package under `Tests/Examples/NewPackage`, which is compiled, tested and started with this project, is the
/// template for the name `todo`; a test compares them.
struct PackageTemplate {
  let name: PackageName
  let source: PackageSource

  /// The example whose reactors the package has, or `nil` for a list of things to do that has the name of the package.
  var example: PackageExample?

  /// Whether the package has `RxBridge.swift`, and depends on RxSwift.
  var hasRx = false

  /// The files by their path in the package, in the order in which they are written.
  var files: [(path: String, text: String)] {
    let content = example ?? .todo(as: name)
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
