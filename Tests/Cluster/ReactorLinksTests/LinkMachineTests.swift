import ReactorCluster
import ReactorLinks
import ReactorLog
import Synchronization
import TestSupport
import Testing

/// Records the results of requests by their names.
private final class Results: Sendable {
  private let state = Mutex<[String: [Result<[UInt8], BusError>]]>([:])

  func receiver(_ name: String) -> ReplyReceiver {
    { [self] result in state.withLock { $0[name, default: []].append(result) } }
  }

  subscript(_ name: String) -> [Result<[UInt8], BusError>] { state.withLock { $0[name] ?? [] } }
}

@Suite struct LinkMachineTests {
  private let one = NodeID(name: "n1", incarnation: 1)
  private let two = NodeID(name: "n2", incarnation: 2)
  private let results = Results()

  private func makeMachine() -> LinkMachine {
    var machine = LinkMachine()
    for completion in machine.join(as: one) { completion.execute() }
    return machine
  }

  private func dialled(_ machine: inout LinkMachine) throws -> LinkID {
    let commands = machine.takeCommands()
    guard case .dial(let link, two) = commands.first, commands.count == 1 else {
      throw Failure(commands: commands)
    }
    return link
  }

  private struct Failure: Error { let commands: [LinkMachine.Command] }

  private func execute(_ completions: [LinkCompletion]) {
    for completion in completions { completion.execute() }
  }

  @Test func `a request waits for the connection, is sent once, and gets its reply`() throws {
    var machine = makeMachine()
    machine.request([1], to: two, deadline: 1_000, results.receiver("a"))
    machine.send([2], to: two)
    let link = try dialled(&machine)
    #expect(machine.takeFrames(of: link, bytes: 1_000) == [])
    machine.didOpen(link, at: 10)
    #expect(machine.takeReady() == [link])
    let frames = machine.takeFrames(of: link, bytes: 1_000)
    #expect(frames.map(\.kind) == [.request, .message])
    #expect(machine.takeFrames(of: link, bytes: 1_000) == [])
    let reply = LinkFrame(.reply, number: frames[0].number, [3])
    let isAccepted = { machine.didReceive(reply: $0, from: $1) != nil }
    // A reply on another link is none.
    #expect(!isAccepted(reply, link + 1))
    machine.didReceive(reply: reply, from: link)?.execute()
    #expect(!isAccepted(reply, link))
    #expect(results["a"] == [.success([3])])
    #expect(machine.pending.isEmpty)
  }

  @Test func `nothing is delivered to a process without a connection`() throws {
    var machine = makeMachine()
    machine.request([1], to: two, deadline: 1_000, results.receiver("a"))
    machine.send([2], to: two)
    let link = try dialled(&machine)
    execute(machine.didClose(link, at: 5))
    #expect(results["a"] == [.failure(.noSuchNode)])
    // The next request waits for the next attempt.
    machine.request([3], to: two, deadline: 1_000, results.receiver("b"))
    #expect(machine.takeCommands() == [])
    execute(machine.tick(at: 14))
    #expect(machine.takeCommands() == [])
    execute(machine.tick(at: 15))
    #expect(machine.takeCommands() == [.dial(link, two)])
    machine.didOpen(link, at: 16)
    // The message before the failed attempt is not sent: later ones must not overtake it.
    let frames = machine.takeFrames(of: link, bytes: 1_000)
    #expect(frames.map(\.content) == [[3]])
    #expect(results["b"].isEmpty)
  }

  @Test func `the pauses between attempts grow to a bound`() throws {
    var machine = makeMachine()
    var now: Milliseconds = 0
    var pauses: [Milliseconds] = []
    machine.send([1], to: two)
    var link = try dialled(&machine)
    for _ in 0..<12 {
      let failed = now
      execute(machine.didClose(link, at: now))
      machine.send([1], to: two)
      var commands: [LinkMachine.Command] = []
      while commands.isEmpty {
        now += 1
        execute(machine.tick(at: now))
        commands = machine.takeCommands()
      }
      pauses.append(now - failed)
      if case .dial(let next, _) = commands[0] { link = next }
    }
    #expect(pauses.first == LinkMachine.pauses.lowerBound)
    #expect(pauses.last == LinkMachine.pauses.upperBound)
    #expect(pauses == pauses.sorted())
    // Without anything to send, the link is forgotten.
    execute(machine.didClose(link, at: now))
    execute(machine.tick(at: now + 1_000))
    #expect(machine.takeCommands() == [])
    #expect(!machine.isWaiting)
  }

  @Test func `a lost connection ends what was sent, and the rest waits for the next one`() throws {
    var machine = makeMachine()
    machine.request([1], to: two, deadline: 9_000, results.receiver("sent"))
    let link = try dialled(&machine)
    machine.didOpen(link, at: 0)
    _ = machine.takeFrames(of: link, bytes: 1_000)
    machine.request([2], to: two, deadline: 9_000, results.receiver("waiting"))
    execute(machine.didClose(link, at: 1_500))
    #expect(results["sent"] == [.failure(.timedOut)])
    #expect(results["waiting"].isEmpty)
    #expect(machine.takeCommands() == [.lost(two), .dial(link, two)])
    // The process is gone.
    execute(machine.didClose(link, at: 1_501))
    #expect(results["waiting"] == [.failure(.noSuchNode)])
  }

  @Test func `the time of a request passes`() throws {
    var machine = makeMachine()
    machine.request([1], to: two, deadline: 50, results.receiver("sent"))
    let link = try dialled(&machine)
    machine.didOpen(link, at: 0)
    _ = machine.takeFrames(of: link, bytes: 1_000)
    machine.request([2], to: two, deadline: 60, results.receiver("waiting"))
    execute(machine.tick(at: 49))
    #expect(results["sent"].isEmpty)
    execute(machine.tick(at: 60))
    #expect(results["sent"] == [.failure(.timedOut)])
    #expect(results["waiting"] == [.failure(.noSuchNode)])
    // It is not sent any more.
    #expect(machine.takeFrames(of: link, bytes: 1_000) == [])
  }

  @Test func `the queue of a peer that does not read is bounded`() throws {
    var machine = makeMachine()
    let large = [UInt8](repeating: 0, count: LinkFrame.bound / 4)
    for _ in 0..<40 { machine.send(large, to: two) }
    machine.request(large, to: two, deadline: 10, results.receiver("a"))
    machine.send([UInt8](repeating: 0, count: LinkFrame.bound + 1), to: two)
    let link = try dialled(&machine)
    machine.didOpen(link, at: 0)
    let count = machine.takeFrames(of: link, bytes: .max).count
    #expect(count == 3)
    // Its fate is unknown: the peer is alive.
    execute(machine.tick(at: 10))
    #expect(results["a"] == [.failure(.timedOut)])
  }

  @Test func `a process accepts one link of another, and replies on the link of the request`() {
    var machine = makeMachine()
    let (first, second) = (machine.newLink(), machine.newLink())
    #expect(machine.didAccept(first, from: two, at: "a:1", 0) == true)
    #expect(machine.statedAddress(of: two) == "a:1")
    machine.reply([1], to: 7, of: first)
    #expect(machine.takeReady() == [first])
    #expect(machine.takeFrames(of: first, bytes: 100) == [LinkFrame(.reply, number: 7, [1])])
    #expect(machine.didAccept(second, from: two, at: "a:2", 0) == true)
    #expect(machine.takeCommands() == [.close(first)])
    machine.reply([1], to: 8, of: first)
    #expect(!machine.hasWork)
    execute(machine.didClose(first, at: 0))
    #expect(machine.takeCommands() == [])
    machine.broadcast([4], to: [])
    execute(machine.didClose(second, at: 0))
    #expect(machine.statedAddress(of: two) == nil)
    let commands = machine.takeCommands()
    #expect(commands.contains(.lost(two)))
  }

  @Test func `another incarnation closes the links of the previous one`() throws {
    var machine = makeMachine()
    let accepted = machine.newLink()
    #expect(machine.didAccept(accepted, from: two, at: "a:1", 0) == true)
    machine.request([1], to: two, deadline: 9_000, results.receiver("a"))
    let link = try dialled(&machine)
    machine.didOpen(link, at: 0)
    _ = machine.takeFrames(of: link, bytes: 100)
    execute(machine.join(as: NodeID(name: "n1", incarnation: 9)))
    #expect(results["a"] == [.failure(.timedOut)])
    #expect(machine.takeCommands() == [.close(accepted), .close(link), .dial(link, two)])
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `each request ends once, and messages arrive in order`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var machine = makeMachine()
    var now: Milliseconds = 0
    var (requests, messages) = (0, 0)
    var delivered: [Int] = []
    var executed: Set<UInt64> = []
    var open: LinkID?
    var dialled: LinkID?
    for _ in 0..<400 {
      now += Milliseconds.random(in: 0...40, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0...2:
        requests += 1
        machine.request(
          [], to: two, deadline: now + .random(in: 1...500, using: &random),
          results.receiver("\(seed) \(requests)"))
      case 3...5:
        messages += 1
        machine.send([UInt8(messages >> 8), UInt8(messages & 255)], to: two)
      case 6:
        if let link = open ?? dialled {
          execute(machine.didClose(link, at: now))
          (open, dialled) = (nil, nil)
        }
      case 7:
        if let link = dialled {
          machine.didOpen(link, at: now)
          (open, dialled) = (link, nil)
        }
      default: break
      }
      execute(machine.tick(at: now))
      for command in machine.takeCommands() {
        if case .dial(let link, _) = command {
          #expect(open == nil && dialled == nil)
          dialled = link
        }
      }
      guard let link = open else { continue }
      for frame in machine.takeFrames(of: link, bytes: .random(in: 0...60, using: &random)) {
        switch frame.kind {
        case .request:
          #expect(executed.insert(frame.number).inserted)
          guard Bool.random(using: &random) else { continue }
          machine.didReceive(reply: LinkFrame(.reply, number: frame.number), from: link)?.execute()
        default: delivered.append(Int(frame.content[0]) << 8 + Int(frame.content[1]))
        }
      }
    }
    execute(machine.tick(at: now + 10_000))
    #expect(machine.pending.isEmpty)
    for number in 1...max(1, requests) where number <= requests {
      #expect(results["\(seed) \(number)"].count == 1)
    }
    #expect(delivered == delivered.sorted())
    #expect(Set(delivered).count == delivered.count)
  }
}
