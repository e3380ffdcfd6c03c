internal import Testing

@testable internal import MicrohttpdServer

@Suite struct ConnectionDeadlinesTests {
  private func deadlines() -> ConnectionDeadlines {
    ConnectionDeadlines { phase in
      switch phase {
      case .opened: 10
      case .idle: 60
      case .receivingHead: 15
      case .receiving, .sending: 30
      case .responding: 0
      }
    }
  }

  @Test func `a phase times out once, after its interval`() {
    var deadlines = deadlines()
    deadlines.enter(.opened, 7, at: 100)
    #expect(deadlines.next == 110)
    #expect(deadlines.takeOverdue(at: 109) == nil)
    let overdue = deadlines.takeOverdue(at: 110)
    #expect(overdue?.index == 7)
    #expect(overdue?.phase == .opened)
    #expect(deadlines.takeOverdue(at: 110) == nil)
    #expect(deadlines.next == nil)
  }

  @Test func `the next phase has its own interval`() {
    var deadlines = deadlines()
    deadlines.enter(.opened, 0, at: 0)
    deadlines.enter(.receiving, 0, at: 5)
    #expect(deadlines.next == 35)
    deadlines.enter(.responding, 0, at: 20)
    #expect(deadlines.next == nil)
    deadlines.enter(.sending, 0, at: 1000)
    #expect(deadlines.next == 1030)
    deadlines.enter(.idle, 0, at: 1001)
    #expect(deadlines.takeOverdue(at: 1060) == nil)
    #expect(deadlines.takeOverdue(at: 1061)?.index == 0)
  }

  @Test func `a conditional phase begins only from its predecessor`() {
    var deadlines = deadlines()
    deadlines.enter(.opened, 1, at: 0)
    deadlines.enter(.idle, 2, at: 0)
    for index in 1...3 { deadlines.enter(.receivingHead, from: .idle, index) }
    deadlines.endTurn(at: 1)
    #expect(deadlines.takeOverdue(at: 16)?.phase == .opened)
    #expect(deadlines.takeOverdue(at: 16)?.index == 2)
    #expect(deadlines.takeOverdue(at: 1000) == nil)
  }

  @Test func `the last phase of a turn counts, from the end of the turn`() {
    var deadlines = deadlines()
    deadlines.enter(.idle, 0, at: 0)
    deadlines.enter(.idle, 1, at: 1)
    for phase in [ConnectionPhase.receivingHead, .receiving, .sending, .idle] {
      deadlines.enter(phase, 0)
    }
    #expect(deadlines.next == 60)
    deadlines.endTurn(at: 5)
    #expect(deadlines.next == 61)
    #expect(deadlines.takeOverdue(at: 65)?.index == 1)
    #expect(deadlines.takeOverdue(at: 65)?.index == 0)
  }

  @Test func `a connection that opens and closes in one turn leaves no deadline`() {
    var deadlines = deadlines()
    deadlines.enter(.opened, 0)
    deadlines.remove(0)
    deadlines.endTurn(at: 0)
    #expect(deadlines.next == nil)
    deadlines.enter(.idle, 0, at: 1)
    #expect(deadlines.next == 61)
  }

  @Test func `the oldest connection of a phase is removed once, with or without a limit`() {
    var deadlines = deadlines()
    deadlines.enter(.idle, 0, at: 0)
    deadlines.enter(.idle, 1, at: 1)
    deadlines.enter(.responding, 2, at: 2)
    #expect(deadlines.removeOldest(in: .idle) == 0)
    #expect(deadlines.removeOldest(in: .idle) == 1)
    #expect(deadlines.removeOldest(in: .idle) == nil)
    #expect(deadlines.removeOldest(in: .responding) == 2)
    #expect(deadlines.next == nil)
    deadlines.enter(.sending, 0, at: 3)
    #expect(deadlines.next == 33)
  }

  @Test func `the connection that waits longest is removed, whether it sent a request or not`() {
    var deadlines = deadlines()
    deadlines.enter(.opened, 0, at: 0)
    deadlines.enter(.idle, 1, at: 1)
    deadlines.enter(.opened, 2, at: 2)
    deadlines.enter(.responding, 3, at: 2)
    deadlines.enter(.idle, 4, at: 3)
    #expect((0..<5).map { _ in deadlines.removeLongestWaiting() } == [0, 1, 2, 4, nil])
    deadlines.enter(.idle, 5, at: 4)
    deadlines.enter(.opened, 6, at: 4)
    // Of two connections that wait equally long, the one without any request is removed first.
    #expect(deadlines.removeLongestWaiting() == 6)
    #expect(deadlines.removeLongestWaiting() == 5)
  }

  @Test func `entering the same phase again restarts it`() {
    var deadlines = deadlines()
    deadlines.enter(.idle, 0, at: 0)
    deadlines.enter(.idle, 1, at: 10)
    deadlines.enter(.idle, 0, at: 50)
    #expect(deadlines.next == 70)
    #expect(deadlines.takeOverdue(at: 110)?.index == 1)
    #expect(deadlines.takeOverdue(at: 110)?.index == 0)
  }

  @Test func `the earliest deadline of all phases is next, without removed connections`() {
    var deadlines = deadlines()
    deadlines.enter(.idle, 0, at: 0)
    deadlines.enter(.opened, 1, at: 20)
    deadlines.enter(.opened, 2, at: 21)
    #expect(deadlines.next == 30)
    deadlines.remove(1)
    #expect(deadlines.next == 31)
    deadlines.remove(9)
    deadlines.enter(.opened, 1, at: 40)
    #expect(deadlines.takeOverdue(at: 45)?.index == 2)
    #expect(deadlines.takeOverdue(at: 45) == nil)
  }
}

extension ConnectionDeadlines {
  /// A turn in which one connection enters a phase.
  fileprivate mutating func enter(_ phase: ConnectionPhase, _ index: Int, at now: Int64) {
    enter(phase, index)
    endTurn(at: now)
  }
}
