import Testing

@testable import Identity

struct RightTests {
  /// The rights that each right includes, besides itself.
  private static let included: [Right: Set<Right>] = [
    .read: [], .signal: [.read], .act: [.read, .signal], .manage: [.read, .signal, .act],
    .inspect: [.read], .erase: [.read, .signal, .act, .manage],
    .admin: [.read, .signal, .act, .manage, .inspect, .erase],
  ]

  @Test(arguments: Right.allCases)
  func `a right includes the rights that the contract lists`(right: Right) throws {
    let expected = try #require(Self.included[right]).union([right])
    #expect(Set(Right.allCases.filter(right.includes)) == expected)
    #expect(Right(name: right.name) == right)
  }

  @Test func `a denial is about the rights that include the denied one`() {
    #expect(Right.allCases.filter(Right.read.denies) == Right.allCases)
    #expect(Right.allCases.filter(Right.act.denies) == [.signal, .act, .manage, .erase, .admin])
    #expect(Right.allCases.filter(Right.inspect.denies) == [.inspect, .admin])
    #expect(Right.allCases.filter(Right.signal.denies) == [.signal, .act, .manage, .erase, .admin])
  }

  @Test func `the names are a list in a sentence`() {
    #expect(Right.names == "read, signal, act, manage, inspect, erase or admin")
  }
}
