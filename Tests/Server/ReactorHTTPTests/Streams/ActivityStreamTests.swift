import ReactorTransport
import ReactorHost
import ReactorStreams
import Testing

@testable import ReactorHTTP

/// `?activity=true`: the effects that run, beside the states.
struct ActivityStreamTests {
  private let service = Service()

  private func state(_ version: Int, _ value: Int) -> String {
    #"\#(version) {"value":\#(value),"label":"none"}"#
  }

  private func activity(_ running: Int, _ progress: String = "null") -> String {
    #"activity {"running":\#(running),"progress":\#(progress)}"#
  }

  private func hold() {
    _ = service.start("POST", "\(Service.root)/demo/actions", body: #""hold""#)
  }

  @Test func `the activity is sent at once and when the number of effects changes`() throws {
    let reader = try service.watch("activity=true")
    #expect(reader.read() == ["retry", state(0, 0), activity(0)])
    hold()
    #expect(reader.read() == [activity(1)])
    hold()
    #expect(reader.read() == [activity(2)])
    let second = try service.watch("activity=true")
    #expect(second.read() == ["retry", state(0, 0), activity(2)])
    service.effect.onCompleted()
    #expect(reader.read().last == activity(0))
    #expect(second.read().last == activity(0))
    #expect(reader.lastID?.hasSuffix("-0") == true)
  }

  @Test func `the activity includes the latest progress`() throws {
    let reader = try service.watch("activity=true")
    hold()
    _ = reader.read()
    service.effect.onNext(.add(4))
    #expect(Set(reader.read()) == [activity(1, "0.4"), state(1, 4)])
    for tenths in [5, 6, 7] { service.effect.onNext(.add(tenths)) }
    let events = reader.read()
    #expect(events.filter { $0.hasPrefix("activity") } == [activity(1, "0.7")])
    #expect(events.last == state(4, 22))
  }

  @Test func `an effect that ends at once is not sent`() throws {
    let reader = try service.watch("activity=true")
    _ = reader.read()
    try service.addOnes(2)
    #expect(reader.read() == [state(1, 1), state(2, 2)])
  }

  @Test func `the activity is sent to a reconnecting client that is current`() throws {
    let cursor = try service.cursor(0)
    let reader = try service.watch("activity=true&last_event_id=\(cursor)")
    #expect(reader.read() == ["retry", ": current", activity(0)])
  }

  @Test func `the activity is sent only on request, and its channel is removed`() throws {
    let plain = try service.watch("activity=false")
    let reader = try service.watch("activity=true")
    _ = plain.read()
    hold()
    #expect(plain.read() == [])
    reader.close()
    hold()
    let again = try service.watch("activity=true")
    #expect(again.read().last == activity(2))
  }

  @Test func `the activity names its session on a stream of several sessions`() throws {
    let reader = try service.open("/v1/events?session=number/demo&session=number/b&activity=true")
    let wrapped = { (id: String, running: Int) in
      #"activity {"session":"number/\#(id)","data":{"running":\#(running),"progress":null}}"#
    }
    #expect(
      reader.read().filter { $0.hasPrefix("activity") } == [wrapped("demo", 0), wrapped("b", 0)])
    hold()
    #expect(reader.read() == [wrapped("demo", 1)])
  }

  @Test func `a global has no effects`() throws {
    #expect(
      try service.open("/v1/globals/motto/events?activity=true").read()
        == ["retry", "0 null", activity(0)])
  }

  @Test(arguments: ["activity=", "activity=yes"])
  func `an unknown value is a problem`(query: String) throws {
    let response = try service.ask("GET", "\(Service.root)/demo/events?\(query)")
    #expect(response.problem == "400 invalid-parameter")
    #expect(service.api.channels.streamCount == 0)
  }

  @Test(.timeLimit(.minutes(60)))
  func `the last event is the final activity, with concurrent changes`() async throws {
    let service = service
    let reader = try service.watch("activity=true")
    async let working: Void = withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<100 {
            _ = service.start("POST", "\(Service.root)/demo/actions", body: #""hold""#)
          }
        }
      }
    }
    var latest = ""
    while latest != activity(400) {
      latest = reader.read().last { $0.hasPrefix("activity") } ?? latest
      await Task.yield()
    }
    await working
    #expect(reader.read() == [])
  }
}
