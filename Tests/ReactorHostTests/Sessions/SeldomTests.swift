import Testing

@testable import ReactorHost

@Suite struct SeldomTests {
  private struct Holder {
    @Seldom var value: (first: String, second: String)? = nil
  }

  @Test func `it holds what was put in, and nothing again`() {
    var holder = Holder()
    #expect(holder.value == nil)
    holder.value = ("a", "b")
    let copy = holder
    holder.value?.second = "c"
    #expect(holder.value?.second == "c")
    #expect(copy.value?.second == "b")
    holder.value = nil
    #expect(holder.value == nil)
  }

  @Test func `it takes the room of a pointer`() {
    #expect(MemoryLayout<Holder>.size == MemoryLayout<UnsafeRawPointer>.size)
  }
}
