import Foundation
import Glibc
import PostgresLog
import PostgresServers
import ReactorLog
import TestSupport
import Testing

/// Databases that a store cannot use, and poolers.
struct OpeningTests {
  private func failure(of settings: PostgresLog.Settings, isTemporary: Bool = false) -> String? {
    do {
      _ = try PostgresLog(settings)
      return nil
    } catch {
      #expect(!error.description.contains("\n"))
      #expect(error.isTemporary == isTemporary)
      return error.description
    }
  }

  @Test func `a start waits for a primary, and not for a user that no server admits`() throws {
    let server = try PostgresServer.shared.get()
    try server.query("create database readers")
    try server.query("alter database readers set default_transaction_read_only = on")
    // As the standbys of a primary that is gone.
    let url = server.url("readers") + "&target_session_attrs=read-write"
    let settings = PostgresLog.Settings(try #require(PostgresAddress(url)))
    #expect(failure(of: settings, isTemporary: true)?.contains("read-only") == true)
    let unknown = server.url().replacing("postgres@", with: "stranger@")
    let rejected = PostgresLog.Settings(try #require(PostgresAddress(unknown)))
    #expect(failure(of: rejected)?.contains("stranger") == true)
  }

  @Test func `a database of another encoding is rejected with a line that names it`() throws {
    let server = try PostgresServer.shared.get()
    try server.query("create database latin encoding 'LATIN1' locale 'C' template template0")
    let address = try #require(PostgresAddress(server.url("latin")))
    let text = try #require(failure(of: PostgresLog.Settings(address)))
    #expect(text.contains("LATIN1") && text.contains("UTF8"))
  }

  @Test func `a user without rights gets a line that names the right, and can use its own schema`()
    throws
  {
    let server = try PostgresServer.shared.get()
    try server.query("create role weak login; create schema owned authorization weak")
    let url = server.url().replacing("postgres@", with: "weak@")
    var settings = PostgresLog.Settings(try #require(PostgresAddress(url)))
    settings.schema = "missing"
    let text = try #require(failure(of: settings))
    #expect(text.contains("permission denied") && text.contains("right to create the schema"))
    settings.schema = "owned"
    let log = try PostgresLog(settings)
    #expect(log.close())
  }

  @Test func `the tables of a later release, and a server without writes are rejected`() throws {
    let server = try PostgresServer.shared.get()
    let settings = try newStore()
    #expect(try PostgresLog(settings).close())
    try server.query("update \(settings.schema).tables set version = 99")
    #expect(failure(of: settings)?.contains("version 99 of a later release") == true)
    try server.query("create database standby")
    try server.query("alter database standby set default_transaction_read_only = on")
    let address = try #require(PostgresAddress(server.url("standby")))
    let text = failure(of: PostgresLog.Settings(address), isTemporary: true)
    #expect(text?.contains("target_session_attrs=read-write") == true)
  }

  @Test func `a host that closes each connection, as a proxy of a missing server, is passed over`()
    async throws
  {
    let server = try PostgresServer.shared.get()
    let (listener, port) = try LoopbackSocket.listening()
    defer { shutdown(listener, Int32(SHUT_RDWR)) }
    Thread.detachNewThread {
      while let client = LoopbackSocket.accept(from: listener) { close(client) }
      close(listener)
    }
    var settings = try newStore()
    let folder = server.url().split(separator: "=")[1]
    settings.address = try #require(
      PostgresAddress("postgres://postgres@/postgres?host=127.0.0.1,\(folder)&port=\(port),5432"))
    let log = try PostgresLog(settings)
    try await log.demo().append(1...1, to: "one")
    #expect(log.close())
  }

  @Test func `several processes can open a new store at the same time`() async throws {
    let settings = try newStore()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for place in 0..<4 {
        group.addTask {
          let log = try PostgresLog(settings)
          try await log.demo("s\(place)").append(1...1, to: "one")
          #expect(log.close())
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `tables without nodes, of the release before, are migrated with everything they have`()
    async throws
  {
    let server = try PostgresServer.shared.get()
    let settings = try newStore()
    let former = try PostgresLog(settings)
    try await former.demo().append(1...3, to: "one")
    #expect(former.close())
    let s = settings.schema
    try server.query(
      "alter table \(s).writers drop column seen; drop table \(s).nodes; update \(s).tables set version = 1"
    )
    let log = try PostgresLog(settings)
    #expect(try log.demo().entries(after: 0, limit: 9).map(\.version) == [1, 2, 3])
    let table = NodeTable(settings)
    try table.start()
    table.announce(NodeID(name: "a", incarnation: 1), at: "a:1")
    #expect(eventually { table.isConfirmed })
    table.close()
    #expect(log.close())
  }

  @Test func `writes succeed if the server forgets the prepared statements, as behind a pooler`()
    async throws
  {
    let server = try PostgresServer.shared.get()
    let settings = try newStore()
    let log = try PostgresLog(settings)
    try await log.demo().append(1...1, to: "one")
    #expect(try log.demo().stored?.version == 1)
    // A pooler passes each transaction to another connection, on which other statements are prepared.
    try server.query(
      """
      create function \(settings.schema).forget() returns trigger language plpgsql as
        $$ begin execute 'deallocate all'; return null; end $$;
      create trigger forget after insert on \(settings.schema).mutations
        for each statement execute function \(settings.schema).forget();
      """)
    for version in 2...20 { try await log.demo().append(version...version, to: "one") }
    #expect(try log.demo().entries(after: 0, limit: 99).map(\.version) == Array(1...20))
    #expect(log.close())
  }
}
