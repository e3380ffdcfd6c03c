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

  @Test func `a phase is over after its interval, once`() {
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

  @Test func `the phase of each connection is known`() {
    var deadlines = deadlines()
    deadlines.enter(.opened, 1, at: 0)
    deadlines.enter(.idle, 2, at: 0)
    deadlines.enter(.receivingHead, 2, at: 1)
    #expect(deadlines.phase(of: 1) == .opened)
    #expect(deadlines.phase(of: 2) == .receivingHead)
    #expect(deadlines.phase(of: 3) == nil)
    #expect(deadlines.next == 10)
  }

  @Test func `beginning the same phase again counts from then`() {
    var deadlines = deadlines()
    deadlines.enter(.idle, 0, at: 0)
    deadlines.enter(.idle, 1, at: 10)
    deadlines.enter(.idle, 0, at: 50)
    #expect(deadlines.next == 70)
    #expect(deadlines.takeOverdue(at: 110)?.index == 1)
    #expect(deadlines.takeOverdue(at: 110)?.index == 0)
  }

  @Test func `the earliest of all phases comes first, and who has left does not count`() {
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
