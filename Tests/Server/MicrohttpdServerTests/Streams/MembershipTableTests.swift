internal import ReactorTransport
internal import Testing

@testable internal import MicrohttpdServer

@Suite struct MembershipTableTests {
  private let first = StreamGroup()
  private let second = StreamGroup()

  @Test func `members are visited in the order in which they joined`() {
    var table = MembershipTable()
    for connection in [5, 1, 9, 0] { _ = table.join(connection, first) }
    #expect(members(of: first, in: table) == [5, 1, 9, 0])
    #expect(members(of: second, in: table) == [])
  }

  @Test func `leaving removes a connection from all groups and keeps the order of the others`() {
    var table = MembershipTable()
    for connection in 0..<5 {
      _ = table.join(connection, first)
      _ = table.join(connection, second)
    }
    for connection in [2, 0, 4] { #expect(table.leave(connection).count == 0) }
    #expect(members(of: first, in: table) == [1, 3])
    _ = table.join(2, first)
    #expect(members(of: first, in: table) == [1, 3, 2])
    #expect(members(of: second, in: table) == [1, 3])
  }

  @Test func `the first join and the last leave of a group are reported`() {
    var table = MembershipTable()
    #expect(table.join(1, first) == true)
    #expect(table.join(2, first) == false)
    #expect(table.join(1, second) == true)
    #expect(table.leave(1).map(ObjectIdentifier.init) == [ObjectIdentifier(second)])
    #expect(table.leave(2).map(ObjectIdentifier.init) == [ObjectIdentifier(first)])
    #expect(table.join(3, first) == true)
  }

  @Test func `joining twice has no effect`() {
    var table = MembershipTable()
    #expect(table.join(1, first) == true)
    #expect(table.join(1, first) == false)
    #expect(members(of: first, in: table) == [1])
    #expect(table.leave(1).count == 1)
    #expect(table.leave(1).count == 0)
    #expect(table.leave(99).count == 0)
  }

  @Test func `random joins and leaves agree with a model of plain lists`() {
    var table = MembershipTable()
    var model: [[Int]] = [[], [], []]
    let groups = [first, second, StreamGroup()]
    var random = SystemRandomNumberGenerator()
    for _ in 0..<5000 {
      let connection = Int.random(in: 0..<30, using: &random)
      if Bool.random(using: &random) {
        let group = Int.random(in: 0..<3, using: &random)
        let wasEmpty = model[group].isEmpty
        if !model[group].contains(connection) { model[group].append(connection) }
        #expect(table.join(connection, groups[group]) == wasEmpty)
      } else {
        let emptied = model.indices.filter { model[$0] == [connection] }
        for group in model.indices { model[group].removeAll { $0 == connection } }
        let reported = Set(table.leave(connection).map(ObjectIdentifier.init))
        #expect(reported == Set(emptied.map { ObjectIdentifier(groups[$0]) }))
      }
      for group in groups.indices {
        #expect(members(of: groups[group], in: table) == model[group])
      }
    }
  }

  private func members(of group: StreamGroup, in table: MembershipTable) -> [Int] {
    var members: [Int] = []
    table.forEach(in: group) { members.append($0) }
    return members
  }
}
