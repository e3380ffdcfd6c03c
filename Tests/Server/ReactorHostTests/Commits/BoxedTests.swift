import Testing

@testable import ReactorHost

@Suite struct BoxedTests {
  private struct Holder {
    @Boxed var value: (first: String, second: String)? = nil
  }

  @Test func `a value can be set, changed and removed`() {
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

  @Test func `a boxed value has the size of a pointer`() {
    #expect(MemoryLayout<Holder>.size == MemoryLayout<UnsafeRawPointer>.size)
  }
}
