import ReactorLog
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// Parameters of queries with names that are almost right, and those that mean nothing to the service.
struct ParameterNamesTests {
  private let service = Service(log: MemoryLog(changeRetention: .seconds(3_600)))

  @Test(arguments: [
    ("events?last-event-id=x-1", "last_event_id"), ("events?LASTEVENTID=x-1", "last_event_id"),
    ("events?lastEventid=x-1", "last_event_id"), ("events?lastEvntId=x-1", "last_event_id"),
    ("events?last%5Fevent%2Did=x-1", "last_event_id"), ("events?Select=/a", "select"),
    ("events?slect=/a", "select"), ("events?OLD=true", "old"), ("events?presense=true", "presence"),
    ("state?verison=1", "version"), ("state?selects=/value", "select"),
    ("log?limits=5", "limit"), ("log?lastEventId=x-1", "after"),
  ])
  func `a name that resembles a known one is an error that names it`(
    target: String, right: String
  ) throws {
    try service.addOnes(1)
    let response = try service.ask("GET", "\(Service.root)/demo/\(target)")
    #expect(response.problem == "400 invalid-parameter")
    #expect(response.text.contains("The parameter is named \(right)."), "\(response.text)")
  }

  @Test(arguments: [
    ("\(Service.root)?limit=1&limit=2", "limit"),
    ("\(Service.root)/demo/state?version=0&version=1", "version"),
    ("\(Service.root)/demo/events?select=/value&select=/label", "select"),
    ("/v1/changes?reactor=number&session=a&session=b", "session"),
    ("/v1/changes?reactor=number&with=entries&with=state", "with"),
  ])
  func `a parameter with one value is an error if it occurs twice`(target: String, name: String)
    throws
  {
    try service.addOnes(1)
    let response = try service.ask("GET", target)
    #expect(response.problem == "400 invalid-parameter")
    #expect(response.text.contains("The parameter \(name) occurs twice"), "\(response.text)")
  }

  @Test(arguments: [
    "/v1/changes?reactor=number&reactor=number",
    "/v1/events?session=number/a&session=number/b&select=/value&select=/label",
  ])
  func `a parameter with several values can occur several times`(target: String) throws {
    #expect(try service.ask("GET", target).status == 200)
  }

  @Test func `a page of changes begins after an id, and its stream after the last one`() throws {
    try service.addOnes(1)
    let page = try service.ask("GET", "/v1/changes?lastEventId=0")
    #expect(page.text.contains("is named after."))
    let stream = try service.ask("GET", "/v1/changes/events?lastEventID=0")
    #expect(stream.text.contains("is named last_event_id."))
  }

  @Test(arguments: [
    "state?_=1732800000", "state?session=a", "state?utm_source=x&cb=1&v=2&t=3", "state?token=x",
    "events?padding=true&r=0.5", "events?ticket=x&access_token=x", "events?name=ada",
    "state?name=ada", "state?\(String(repeating: "x", count: 4_000))", "log?page=2&offset=5",
    "state?=x&&%20=y", "events?id=7",
  ])
  func `a name that resembles none is ignored`(target: String) throws {
    try service.addOnes(1)
    let responses = service.start("HEAD", "\(Service.root)/demo/\(target)").values
    #expect(responses.first?.status == 200)
  }

  @Test func `a polyfill of EventSource resumes with a parameter of its own`() throws {
    try service.addOnes(3)
    let (current, before) = (try service.cursor(3), try service.cursor(1))
    // The polyfill appends its latest id to the address of the page.
    for address in [
      "\(Service.root)/demo/events?lastEventId=\(current)",
      "\(Service.root)/demo/events?last_event_id=\(before)&lastEventId=\(current)",
      "/v1/events?session=number/demo&lastEventId=\(current)",
    ] {
      let reader = try service.open(address)
      #expect(!reader.read().contains { $0.contains("{") }, "\(address)")
      reader.close()
    }
  }

  @Test func `an empty id is that of a new client`() throws {
    try service.addOnes(1)
    for reader in [
      try service.watch("", [(.lastEventID, "")]), try service.watch("last_event_id="),
      try service.watch("last_event_id=\(try service.cursor(1))", [(.lastEventID, "")]),
    ] {
      #expect(!reader.read().contains { $0.hasPrefix("reset") })
      reader.close()
    }
  }
}
