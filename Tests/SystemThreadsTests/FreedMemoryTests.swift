internal import Glibc
internal import SystemThreads
internal import Testing

@Suite struct FreedMemoryTests {
  @Test func `memory that a burst has freed is returned to the system`() {
    let count = 200_000
    let blocks = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: count)
    for index in 0..<count {
      blocks[index] = malloc(1024)
      if let block = blocks[index] { memset(block, 1, 1024) }
    }
    let during = FreedMemory.residentBytes
    // The last block keeps the heap from shrinking by itself.
    for index in 0..<(count - 1) { free(blocks[index]) }
    FreedMemory.trim()
    // Other tests allocate at the same time.
    #expect(FreedMemory.residentBytes < during - 100 << 20)
    free(blocks[count - 1])
    blocks.deallocate()
  }

  @Test func `a burst before the first check is followed by a trim`() {
    let megabyte = 1 << 20
    var policy = TrimPolicy(baseline: 20 * megabyte)
    #expect(policy.shouldTrim(resident: 200 * megabyte) == true)
  }

  @Test func `a trim follows growth, and ineffective ones become rare`() {
    let megabyte = 1 << 20
    var policy = TrimPolicy(baseline: 100 * megabyte)
    #expect(policy.shouldTrim(resident: 100 * megabyte) == false)
    #expect(policy.shouldTrim(resident: 150 * megabyte) == false)
    #expect(policy.shouldTrim(resident: 300 * megabyte) == true)
    policy.trimmed(to: 120 * megabyte)
    #expect(policy.shouldTrim(resident: 120 * megabyte) == false)
    var trims = 0
    for _ in 0..<1000 where policy.shouldTrim(resident: 300 * megabyte) {
      trims += 1
      policy.trimmed(to: 299 * megabyte)
    }
    #expect((10...25).contains(trims))
    #expect(policy.shouldTrim(resident: 110 * megabyte) == false)
    #expect(policy.shouldTrim(resident: 300 * megabyte) == true)
  }
}
