import PostgresLog
import Testing

/// Addresses of databases.
struct AddressTests {
  @Test func `the description of an address has its hosts and its database, and no secret`() throws
  {
    let cases = [
      (
        "postgres://ada:secret@db1:5433,db2/app?sslmode=require", "postgres://db1:5433,db2:5433/app"
      ),
      ("postgresql://ada@db/app?password=secret", "postgres://db/app"),
      ("postgres:///app?host=/run/postgresql&user=x", "postgres:///run/postgresql/app"),
    ]
    for (text, description) in cases {
      let address = try #require(PostgresAddress(text))
      #expect("\(address)" == description)
      #expect(address.hasPassword == text.contains("secret"))
    }
  }

  @Test(arguments: [
    "", "postgres:", "mysql://a/b", "postgres://a:b:c@d/e?x", "postgres://a/b?no=1",
  ])
  func `other texts are no addresses`(text: String) { #expect(PostgresAddress(text) == nil) }
}
