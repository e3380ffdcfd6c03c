import Foundation
import Testing

/// The pages, the clients for JavaScript and the links of a service that nginx publishes below `/app/`.
@Suite(.browser, .enabled(if: Proxy.nginx.program != nil))
struct PathPrefixTests {
  /// The treatment of the prefix by the proxy and the service.
  enum Publication: CaseIterable {
    /// The service reads it.
    case passed
    /// The proxy removes it; the service writes it into its addresses.
    case removed
    /// The proxy removes it, and the service does not know it.
    case unknown
  }

  private func proxy(
    _ server: ReactordProcess, port: UInt16, in folder: TemporaryFolder, strips: Bool
  )
    throws -> ChildProcess
  {
    let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(folder[$0]);" }.joined(separator: " ")
    try """
    events {}
    http {
      access_log off; \(folders)
      server {
        listen 127.0.0.1:\(port);
        location /app/ {
          proxy_pass http://127.0.0.1:\(server.port)\(strips ? "/" : "");
          proxy_http_version 1.1;
          proxy_set_header Connection "";
          proxy_set_header Host $http_host;
        }
      }
    }
    """.write(toFile: folder["configuration"], atomically: true, encoding: .utf8)
    return try ChildProcess(
      try #require(Proxy.nginx.program),
      Proxy.nginx.arguments(folder["configuration"], folder),
      environment: ["LD_LIBRARY_PATH": Proxy.libraries])
  }

  @Test(arguments: Publication.allCases)
  func `everything works below the prefix`(_ publication: Publication) throws {
    let folder = try TemporaryFolder()
    let server = try ReactordProcess(publication == .unknown ? [] : ["--http-prefix", "/app"])
    let reserved = try ReservedPort()
    let nginx = try proxy(
      server, port: reserved.port, in: folder, strips: publication != .passed)
    let root = "http://127.0.0.1:\(reserved.port)/app/"
    let isServing = eventually {
      (try? ChildProcess("/usr/bin/curl", ["-sf", root + "healthz"]).wait()) == .code(0)
        || !nginx.isRunning
    }
    try #require(isServing && nginx.isRunning, "\(nginx.standardError)")
    let browser = try Browser()

    for path in ["", "inspector/"] {
      try browser.open(root + path)
      try browser.expect("return document.querySelectorAll('#reactors a').length", is: 11)
      try browser.open("\(root)\(path)#/counter/demo")
      try browser.expect("return document.querySelector('#session').dataset.status", is: "live")
      try browser.expect(
        "return fetch(document.querySelector('#state-link').href).then((r) => r.status)", is: 200)
      try browser.expect(
        "return fetch(document.querySelector('#types-link').href).then((r) => r.status)", is: 200)
    }
    try browser.open(root + "examples/counter.html")
    try browser.click("return document.getElementById('increase')")
    try browser.expect("return document.getElementById('value').textContent", is: "1")
    // A page with /flow.js.
    try browser.open(root + "examples/order.html?session=a")
    try browser.expect("return document.querySelector('main').innerText.length > 0", is: true)
    try browser.expect("return document.querySelector('#screens button')?.textContent", is: "Latte")
    try browser.open(root + "examples/order.html?url=path&session=\(publication)")
    try browser.click(
      "return [...document.querySelectorAll('#screens button')].find((button) => button.textContent === 'Latte')"
    )
    try browser.expect("return location.pathname", is: "/app/drinks/Latte")
    _ = try browser.complaints()
    try browser.open(root + "examples/#counter")
    try browser.expect("return document.querySelectorAll('#frames iframe').length > 0", is: true)
    try browser.open(root + "problems/not-found")
    try browser.click("return document.querySelector('main a')")
    try browser.expect("return location.href", is: .string(root + "problems/"))
    let complaints = try browser.complaints()
    #expect(complaints == [])
    try browser.open(root + "v1/nothing")
    try browser.click("return document.querySelector('main a')")
    try browser.expect("return location.href", is: .string(root))
    _ = try browser.complaints()

    guard publication != .unknown else { return }
    try browser.expect(
      """
      return (async () => {
        const at = async (address, options) => {
          const response = await fetch(new URL(address, location.href), options);
          return [response, await response.clone().json().catch(() => null)];
        };
        const [, { reactors }] = await at("v1/reactors");
        const { links } = reactors.find(({ name }) => name === "counter");
        const [, description] = await at(links.self);
        const [created] = await at(links.sessions, { method: "POST" });
        const [state] = await at(created.headers.get("Location"));
        await at(links.sessions, { method: "POST" });
        const [page] = await at(links.sessions + "?limit=1");
        const next = /<(.*)>/.exec(page.headers.get("Link"))[1];
        const [, problem] = await at("v1/reactors/none");
        const [, openapi] = await at("openapi.json");
        const addresses = [next, links.example, problem.type, `${openapi.servers[0].url}/v1/globals`];
        const found = await Promise.all(addresses.map(async (address) => (await at(address))[0].status));
        return [description.name, created.status, state.status, ...found].join();
      })();
      """, is: "counter,201,200,200,200,200,200")
    // The client for JavaScript knows the problem types below the prefix.
    try browser.expect(
      """
      return import(new URL("reactor.js", location.href)).then(({ request }) =>
        request("v1/reactors/none").catch((problem) => problem.members.type));
      """, is: "/problems/unknown-reactor")
  }
}
