import PostgresLog
import PostgresServers
import ReactorLog
import TestSupport
import Testing

/// The processes of a cluster in the table `nodes`.
@Suite(.serialized) struct NodeTests {
  /// A node of a store with an address that nothing listens on.
  private func newTable(
    _ settings: PostgresLog.Settings, _ node: NodeID
  ) throws -> NodeTable {
    let table = NodeTable(settings)
    try table.start()
    table.announce(node, at: "\(node.name):1")
    return table
  }

  private func id(_ name: String, _ incarnation: UInt64) -> NodeID {
    NodeID(name: name, incarnation: incarnation)
  }

  private func rows(_ settings: PostgresLog.Settings, _ server: PostgresServer) throws -> String {
    try server.query(
      "select string_agg(name || draining::text, ',' order by name) from \(settings.schema).nodes")
  }

  @Test func `nodes see each other, and one that withdraws is gone`() throws {
    let server = try PostgresServer.shared.get()
    let settings = try newStore()
    let log = try PostgresLog(settings)
    // The incarnation is any number of 64 bits.
    let names = [id("a", .max), id("b", 1), id("c", .max / 2 + 1)]
    let tables = try names.map { try newTable(settings, $0) }
    for (table, own) in zip(tables, names) {
      #expect(eventually { table.entries.map(\.node) == names.filter { $0 != own } })
      // A confirmation and an announcement are valid for two seconds.
      #expect(eventually { table.isConfirmed })
      #expect(eventually { table.running == names.filter { $0 != own } })
      for other in names where other != own {
        #expect(table.address(of: other) == "\(other.name):1")
      }
      #expect(table.address(of: own) == nil)
    }
    tables[2].drain()
    #expect(try eventually { try rows(settings, server) == "afalse,bfalse,ctrue" })
    tables[1].withdraw()
    #expect(!tables[1].isConfirmed)
    // `withdraw()` waits for a second only.
    #expect(try eventually { try rows(settings, server) == "afalse,ctrue" })
    tables[0].refresh()
    #expect(eventually { tables[0].entries.map(\.node) == [names[2]] })
    for table in tables { table.close() }
    #expect(log.close())
  }

  @Test func `another incarnation replaces the former one`() throws {
    let server = try PostgresServer.shared.get()
    let settings = try newStore()
    let log = try PostgresLog(settings)
    let (first, second) = (try newTable(settings, id("a", 1)), try newTable(settings, id("b", 2)))
    #expect(eventually { second.entries.map(\.node) == [id("a", 1)] })
    first.announce(id("a", 3), at: "elsewhere:2")
    #expect(eventually { second.entries.map(\.node) == [id("a", 3)] })
    #expect(second.address(of: id("a", 3)) == "elsewhere:2")
    #expect(try rows(settings, server) == "afalse,bfalse")
    first.close()
    second.close()
    #expect(log.close())
  }

  @Test func `rows without announcements are not present, and are deleted`() throws {
    let server = try PostgresServer.shared.get()
    let settings = try newStore()
    let log = try PostgresLog(settings)
    try server.query(
      """
      insert into \(settings.schema).nodes (shard, incarnation, name, address, seen, draining) values
        (0, 8, 'gone', 'x:1', clock_timestamp() - interval '30 s', false),
        (0, 9, 'lost', 'x:1', clock_timestamp() - interval '2 min', false),
        (0, 7, 'late', 'x:1', clock_timestamp() - interval '5 s', false)
      """)
    let table = try newTable(settings, id("a", 1))
    #expect(eventually { table.isConfirmed })
    #expect(
      try eventually {
        // The nodes announced themselves that long ago, however late the table reads it.
        for (name, age) in [("gone", 30), ("late", 5)] {
          try server.query(
            """
            update \(settings.schema).nodes set seen = clock_timestamp() - interval '\(age) s'
            where name = '\(name)'
            """)
        }
        table.refresh()
        return table.entries.map(\.node) == [id("late", 7)]
      })
    #expect(table.running.isEmpty)
    #expect(try rows(settings, server) == "afalse,gonefalse,latefalse")
    // A node that was deleted while it was paused is present again.
    try server.query("delete from \(settings.schema).nodes")
    #expect(try eventually { try rows(settings, server) == "afalse" })
    table.close()
    #expect(log.close())
  }

  @Test func `a node is not confirmed while the server is paused or gone, and is afterwards`()
    throws
  {
    let server = try PostgresServer()
    let settings = try newStore(at: server)
    let log = try PostgresLog(settings)
    let table = try newTable(settings, id("a", 1))
    #expect(eventually { table.isConfirmed })
    try server.pause()
    #expect(eventually { !table.isConfirmed })
    try server.resume()
    #expect(eventually { table.isConfirmed })
    try server.kill()
    #expect(eventually { !table.isConfirmed })
    try server.start()
    #expect(eventually { table.isConfirmed })
    // The commits of a database whose standby is missing are not confirmed.
    try server.query("alter system set synchronous_standby_names = 'missing'")
    try server.query("select pg_reload_conf()")
    #expect(eventually { !table.isConfirmed })
    table.close()
    log.close(within: .zero)
  }

  @Test func `a statement of another transaction on a dead row delays no announcement`() throws {
    let server = try PostgresServer.shared.get()
    let settings = try newStore()
    let log = try PostgresLog(settings)
    let nodes = "\(settings.schema).nodes"
    try server.query(
      "insert into \(nodes) values (0, 9, 'lost', 'x:1', clock_timestamp() - interval '2 min', false)"
    )
    let transaction = try OpenTransaction(server)
    try transaction.execute("begin; update \(nodes) set draining = true where incarnation = 9;")
    let table = try newTable(settings, id("a", 1))
    #expect(eventually { table.isConfirmed })
    try transaction.execute("commit;")
    #expect(try eventually { try rows(settings, server) == "afalse" })
    table.close()
    #expect(log.close())
  }
}
