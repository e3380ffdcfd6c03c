import Testing

/// The load generator against a server with known faults.
@Suite struct StreamLoadTests {
  @Test func `events are matched with their actions`() throws {
    let server = try ScriptedServer()
    defer { server.stop() }
    let report = try LoadReport.of(server, "--subscribers", "3", "--count", "20")
    #expect(report.streams.established == 3)
    #expect(report.actions.completed == 20)
    #expect(report.deliveries.expected == 60)
    #expect(report.deliveries.matched == 60)
    #expect(report.receipt.count == 60)
    #expect(report.deliveries.missed == 0)
    #expect(report.deliveries.skipped == 0)
    #expect(report.deliveries.repeated == 0)
    #expect(report.deliveries.atEnd == 3)
  }

  @Test func `missing events are counted`() throws {
    var script = ScriptedServer.Script()
    script.pieces = { number, stream in
      number == 7 && stream == 1 ? [] : [ScriptedServer.event(number)]
    }
    let server = try ScriptedServer(script)
    defer { server.stop() }
    let report = try LoadReport.of(server, "--subscribers", "3", "--count", "20")
    #expect(report.deliveries.missed == 1)
    #expect(report.deliveries.skipped == 1)
    #expect(report.deliveries.repeated == 0)
  }

  @Test func `repeated and late events are counted as repeated`() throws {
    var script = ScriptedServer.Script()
    script.pieces = { number, _ in
      switch number {
      case 5: [ScriptedServer.event(5), ScriptedServer.event(5)]
      case 8: []
      case 9: [ScriptedServer.event(9), ScriptedServer.event(8)]
      default: [ScriptedServer.event(number)]
      }
    }
    let server = try ScriptedServer(script)
    defer { server.stop() }
    let report = try LoadReport.of(server, "--subscribers", "1", "--count", "10")
    #expect(report.deliveries.repeated == 2)
    #expect(report.deliveries.skipped == 1)
    #expect(report.deliveries.missed == 1)
  }

  @Test func `an event is parsed across any chunk boundaries`() throws {
    var script = ScriptedServer.Script()
    script.pieces = { number, _ in ScriptedServer.event(number).map(String.init) }
    let server = try ScriptedServer(script)
    defer { server.stop() }
    let report = try LoadReport.of(server, "--subscribers", "2", "--count", "12")
    #expect(report.deliveries.matched == 24)
    #expect(report.deliveries.missed == 0)
  }

  @Test func `a delay of the server shows in the times`() throws {
    var script = ScriptedServer.Script()
    script.delay = .milliseconds(20)
    let server = try ScriptedServer(script)
    defer { server.stop() }
    let report = try LoadReport.of(server, "--subscribers", "2", "--count", "5")
    #expect(report.receipt.p50 >= 19.9)
    #expect(report.receipt.p99 >= report.receipt.p50)
    #expect(report.receipt.max >= report.receipt.p99)
  }

  @Test func `a rejected action is reported with its status`() throws {
    var script = ScriptedServer.Script()
    script.actionStatus = { $0 == 3 ? 422 : 200 }
    let server = try ScriptedServer(script)
    defer { server.stop() }
    let report = try LoadReport.of(server, "--count", "5")
    #expect(report.actions.failed == 1)
    #expect(report.actions.failedStatus == 422)
  }

  @Test func `a rejected stream is reported`() throws {
    var script = ScriptedServer.Script()
    script.streamStatus = 503
    let server = try ScriptedServer(script)
    defer { server.stop() }
    let report = try LoadReport.of(server, "--subscribers", "4")
    #expect(report.streams.established == 0)
    #expect(report.streams.rejected == 4)
  }

  @Test func `a stalled stream reads everything at the end`() throws {
    let server = try ScriptedServer()
    defer { server.stop() }
    let report = try LoadReport.of(
      server, "--subscribers", "1", "--stalled", "1", "--count", "9")
    #expect(report.deliveries.expected == 9)
    #expect(report.deliveries.matched == 9)
    #expect(report.deliveries.stalledAtEnd == 1)
  }

  @Test func `actions at a rate are all sent, in order`() throws {
    let server = try ScriptedServer()
    defer { server.stop() }
    let report = try LoadReport.of(
      server, "--subscribers", "2", "--count", "30", "--rate", "1000")
    #expect(report.actions.completed == 30)
    #expect(report.actions.backlog == 0)
    #expect(report.deliveries.matched == 60)
  }

  @Test func `growth is reported at sizes of one, two and five`() throws {
    let server = try ScriptedServer()
    defer { server.stop() }
    let report = try LoadReport.of(server, "--subscribers", "7", "--count", "20")
    #expect(report.streamGrowth.map(\.count) == [1, 2, 5, 7])
    #expect(report.actionGrowth.map(\.count) == [1, 2, 5, 10, 20])
  }

  @Test func `an array of actions counts as many steps`() throws {
    var script = ScriptedServer.Script()
    script.pieces = { number, _ in (3 * number - 2...3 * number).map(ScriptedServer.event) }
    let server = try ScriptedServer(script)
    defer { server.stop() }
    let report = try LoadReport.of(
      server, "--subscribers", "2", "--count", "10", "--step", "3")
    #expect(report.deliveries.matched == 20)
    #expect(report.deliveries.skipped == 0)
    #expect(report.deliveries.atEnd == 2)
  }

  @Test(arguments: [
    ["--port", "0"], ["--nothing"], ["--port", "1", "--rate", "much"],
    ["--port", "1", "--subscribers", "1", "--publishers", "2"],
  ])
  func `an invalid command line ends the program at once`(_ arguments: [String]) throws {
    #expect(try LoadReport.run(arguments).status == 2)
  }
}
