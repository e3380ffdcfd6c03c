import ReactorCore
import Testing

struct IdentityTests {
  private final class Cell: IdentityHashable {}

  @Test func `an instance equals itself and no other one`() {
    let first = Cell()
    let same = first
    let other = Cell()
    #expect(first == same)
    #expect(first.hashValue == same.hashValue)
    #expect(first != other)
    #expect(Set([first, same, other]).count == 2)
  }
}
