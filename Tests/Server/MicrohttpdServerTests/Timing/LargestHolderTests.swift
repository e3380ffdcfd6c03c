internal import Testing

@testable internal import MicrohttpdServer

struct LargestHolderTests {
  @Test func `the largest connection of the client with the most bytes is found`() throws {
    var holder = LargestHolder()
    #expect(holder.connection == nil)
    holder.add(0, of: 1, bytes: 0)
    #expect(holder.connection == nil)
    holder.add(1, of: 2, bytes: 700)
    for index in 2..<10 { holder.add(index, of: 3, bytes: 100 + index) }
    let found = try #require(holder.connection)
    #expect(found == (9, 109))
  }

  @Test func `a body counts once while it is sent, and each copy counts`() {
    var bodies = SentBodies()
    let (shared, copy) = (
      SentBodies.Body(address: 64, size: 100_000), SentBodies.Body(address: 0, size: 20_000)
    )
    #expect([shared, shared, copy, copy].map { bodies.add($0) } == [100_000, 0, 20_000, 20_000])
    #expect(
      [shared, copy, copy, shared].map { bodies.remove($0) } == [0, 20_000, 20_000, 100_000])
    #expect(bodies.add(shared) == 100_000)
  }
}
