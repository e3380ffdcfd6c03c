internal import ReactorPages

/// The content of a package of `reactord new`: reactors of this project, their tests and their page.
///
/// The files are those that the project compiles and tests. `Files` has links to them, so that they are
/// compiled into the program.
struct PackageExample {
  /// A file by its name, with its text.
  typealias File = (path: String, text: String)

  /// The value of `--example`, or the name of the package.
  let name: String

  /// The products that the reactors need.
  let products: [String]

  let sources: [File]
  let tests: [File]
  let pages: [File]

  /// The registrations of the reactors.
  let registrations: String

  /// The session that the page shows, as a path: `chat/sessions/demo`.
  let session: String

  /// The commands that the README shows, with the address of the session in `$session`.
  let commands: [String]

  /// Every example.
  static let all = [chat, auction, order, cart]

  private static let chat = PackageExample(
    name: "chat", products: ["ReactorCore", "ReactorHost"],
    sources: [
      ("ChatReactor.swift", text(PackageResources.ChatReactor_swift)),
      ("JSONSize.swift", text(PackageResources.JSONSize_swift)),
    ],
    tests: [("ChatRoomTests.swift", text(PackageResources.ChatRoomTests_swift))],
    pages: pages(of: "chat"),
    registrations: """
          ReactorRegistration(
            "chat", summary: "A chat room",
            exampleActions: [.join("Ada"), .send(from: "Ada", text: "Hello!"), .leave("Ada")]
          ) {
            ChatReactor()
          }
      """,
    session: "chat/sessions/demo",
    commands: [
      #"curl --json '{"join":"Ada"}' $session/actions"#,
      #"curl --json '{"send":{"from":"Ada","text":"Hello!"}}' $session/actions"#,
      "curl $session/state",
    ])

  private static let auction = PackageExample(
    name: "auction", products: ["ReactorCore", "ReactorHost"],
    sources: [
      ("AuctionReactor.swift", text(PackageResources.AuctionReactor_swift)),
      ("JSONSize.swift", text(PackageResources.JSONSize_swift)),
      ("LobbyReactor.swift", text(PackageResources.LobbyReactor_swift)),
    ],
    tests: [("AuctionReactorTests.swift", text(PackageResources.AuctionReactorTests_swift))],
    pages: pages(of: "auction"),
    registrations: """
          ReactorRegistration(
            "auction", summary: "An auction, listed in the lobby until its end",
            parameters: AuctionReactor.Parameters.self,
            exampleActions: [.open, .bid(by: "Ada", amount: 10)]
          ) { context in
            AuctionReactor(context)
          },
          ReactorRegistration("lobby", summary: "The open auctions and the latest sales") {
            LobbyReactor()
          },
      """,
    session: "auction/sessions/lamp",
    commands: [
      #"parameters='{"item":"A lamp","endsAt":"'$(date -u -d '1 minute' +%FT%TZ)'"}'"#,
      #"curl -X PUT --json '{"parameters":'"$parameters"'}' $session"#,
      #"curl --json '"open"' $session/actions"#,
      #"curl --json '{"bid":{"by":"Ada","amount":10}}' $session/actions"#,
    ])

  private static let order = PackageExample(
    name: "order", products: ["ReactorCore", "ReactorFlows"],
    sources: [
      ("Bank.swift", text(PackageResources.Bank_swift)),
      ("CheckoutFlow.swift", text(PackageResources.CheckoutFlow_swift)),
      ("DrinkReactor.swift", text(PackageResources.DrinkReactor_swift)),
      ("MenuReactor.swift", text(PackageResources.MenuReactor_swift)),
      ("OrderFlow.swift", text(PackageResources.OrderFlow_swift)),
      ("PaymentReactor.swift", text(PackageResources.PaymentReactor_swift)),
      ("TipReactor.swift", text(PackageResources.TipReactor_swift)),
    ],
    tests: [
      ("OrderFlowTests.swift", text(PackageResources.OrderFlowTests_swift)),
      ("Recorder.swift", text(PackageResources.Recorder_swift)),
    ],
    pages: pages(of: "order"),
    registrations: """
          ReactorRegistration(
            "order", summary: "Drinks, one after the other: a flow of screens",
            exampleActions: [.stack(.open("/drinks/Latte")), .stack(.dismiss("2")), .checkout]
          ) {
            OrderFlow(bank: SimulatedBank(latency: .milliseconds(200)))
          }
      """,
    session: "order/sessions/demo",
    commands: [
      #"curl --json '{"stack":{"open":"/drinks/Latte"}}' $session/actions"#,
      #"curl --json '{"stack":{"send":{"to":"2","action":{"drink":"add"}}}}' $session/actions"#,
      "curl $session/state",
    ])

  private static let cart = PackageExample(
    name: "cart", products: ["ReactorCore", "ReactorHost"],
    sources: [
      ("BoardReactor.swift", text(PackageResources.BoardReactor_swift)),
      ("CartDelegate.swift", text(PackageResources.CartDelegate_swift)),
      ("CartReactor.swift", text(PackageResources.CartReactor_swift)),
    ],
    tests: [("CartReactorTests.swift", text(PackageResources.CartReactorTests_swift))],
    pages: [("index.html", text(PackageResources.cart_html))],
    registrations: """
          ReactorRegistration(
            "cart", summary: "A shopping cart", exampleActions: [.add("Tea"), .applyDiscount],
            delegate: CartDelegate()
          ) {
            CartReactor()
          },
          ReactorRegistration(
            "board", summary: "Notes of several users", exampleActions: [.open, .invite("eve")],
            delegate: BoardDelegate()
          ) {
            BoardReactor()
          },
      """,
    session: "cart/sessions/demo",
    commands: [
      #"curl --json '{"add":"Tea"}' $session/actions"#,
      "curl $session/state",
    ])

  /// Returns the content of a package without `--example`: a list of things to do with the name of the package.
  static func todo(as name: PackageName) -> PackageExample {
    let reactor = "\(name.type)Reactor"
    func renamed(_ bytes: [UInt8]) -> String { text(bytes).replacing("TodoReactor", with: reactor) }
    var page = text(PackageResources.todo_html)
    for place in ["<title>todo<", "<h1>todo<", #"reactor("todo""#] {
      page.replace(place, with: place.replacing("todo", with: name.text))
    }
    return PackageExample(
      name: name.text, products: ["ReactorCore"],
      sources: [("\(reactor).swift", renamed(PackageResources.TodoReactor_swift))],
      tests: [("\(reactor)Tests.swift", renamed(PackageResources.TodoReactorTests_swift))],
      pages: [("index.html", page)],
      registrations: """
            ReactorRegistration(
              "\(name.text)", summary: "Things to do", exampleActions: [.add("Buy milk"), .finish(0)]
            ) {
              \(reactor)()
            }
        """,
      session: "\(name.text)/sessions/home",
      commands: [
        #"curl --json '{"add":"Buy milk"}' $session/actions"#,
        #"curl --json '{"finish":0}' $session/actions"#, "curl $session/state",
      ])
  }

  /// The files of an example page, which are not in a folder as those of the service are.
  private static func pages(of name: String) -> [File] {
    let names = [
      ("\(name).html", "index.html"), ("\(name).js", "\(name).js"),
      ("examples.css", "examples.css"), ("sign-in.js", "sign-in.js"),
    ]
    return names.flatMap { served, written in
      PageFile.all.filter { $0.path == "examples/\(served)" }.map {
        (written, text($0.content).replacing("\"../", with: "\"./"))
      }
    }
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
