import Crypto
import ReactorCore
import Testing

@testable import Identity

/// The table of used tickets, which the tickets of one principal do not fill.
struct UsedTicketsTests {
  private struct Table {
    var tickets = UsedTickets()
    private var nonce = 0

    /// Uses new tickets of an owner, which expire after 30 s; returns how many were accepted.
    mutating func use(_ count: Int, of owner: UsedTickets.Owner, at now: Int64 = 0) -> Int {
      (0..<count).count { _ in
        nonce += 1
        return tickets.use(Array("\(nonce)".utf8), of: owner, until: now + 30, at: now)
      }
    }
  }

  private static func owner(
    _ source: Authentication.Source, _ principal: String? = nil
  ) -> UsedTickets.Owner {
    .init(
      Authentication(
        source, principal.map { Principal(id: $0) }, Grants(rules: [], principal: nil),
        generation: 0))
  }

  @Test func `a principal that uses many tickets leaves as many to the others`() {
    var table = Table()
    let key = Authentication.Source.key(
      SigningKey(thumbprint: [1], algorithm: .edDSA))
    let abusive = table.use(UsedTickets.limit, of: Self.owner(key, "abusive"))
    #expect(abusive == UsedTickets.limit / 2)
    let other = table.use(1_000, of: Self.owner(key, "other"))
    #expect(other == 1_000)
    let token = table.use(1_000, of: Self.owner(.staticToken([2])))
    #expect(token == 1_000)
    let later = table.use(1, of: Self.owner(key, "abusive"), at: 30)
    #expect(later == 1)
  }

  @Test func `a ticket is used once`() {
    var tickets = UsedTickets()
    let owner = Self.owner(.staticToken([2]))
    let first = tickets.use([1], of: owner, until: 30, at: 0)
    let second = tickets.use([1], of: owner, until: 30, at: 29)
    #expect(first && !second)
  }
}
