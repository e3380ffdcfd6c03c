internal import Glibc
internal import SystemThreads
internal import Testing

@Suite struct FreedMemoryTests {
  // A sanitizer has an allocator of its own.
  @Test(.enabled(if: getenv("TESTS_SANITIZED") == nil))
  func `memory that a burst has freed is returned to the system`() {
    let count = 200_000
    let blocks = UnsafeMutableBufferPointer<UnsafeMutableRawPointer?>.allocate(capacity: count)
    for index in 0..<count {
      blocks[index] = malloc(1024)
      if let block = blocks[index] { memset(block, 1, 1024) }
    }
    #expect(Self.residentCount(of: blocks) == count)
    // The last block keeps the heap from shrinking by itself.
    for block in blocks.dropLast() { free(block) }
    FreedMemory.trim()
    // Other tests can have allocated a part of the memory in the meantime.
    #expect(Self.residentCount(of: blocks) < count / 2)
    free(blocks[count - 1])
    blocks.deallocate()
  }

  /// The number of blocks whose first byte is in memory.
  ///
  /// Unlike the resident memory of the process, it hardly depends on other tests.
  private static func residentCount(
    of blocks: UnsafeMutableBufferPointer<UnsafeMutableRawPointer?>
  ) -> Int {
    let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
    return blocks.count { block in
      var state: UInt8 = 0
      let start = UnsafeMutableRawPointer(bitPattern: UInt(bitPattern: block) & ~(page - 1))
      // The call fails for pages that are not mapped any more.
      return mincore(start, 1, &state) == 0 && state & 1 == 1
    }
  }

  @Test func `freed memory is trimmed, and not again before it grows`() {
    let megabyte = 1 << 20
    var policy = TrimPolicy(unused: 20 * megabyte)
    func shouldTrim(_ unused: Int, besides allocated: Int = 160) -> Bool {
      policy.shouldTrim(unused: unused * megabyte, besides: allocated * megabyte)
    }
    #expect(!shouldTrim(29))
    #expect(shouldTrim(30))
    #expect(!shouldTrim(30, besides: 320))
    #expect(!shouldTrim(21, besides: 1))
    #expect(shouldTrim(22, besides: 1))
    policy.trimmed(to: 21 * megabyte)
    #expect(!shouldTrim(30))
    #expect(shouldTrim(200))
    // The heap is fragmented.
    policy.trimmed(to: 190 * megabyte)
    #expect(!shouldTrim(199))
    #expect(shouldTrim(200))
    // The fragments are gone.
    policy.trimmed(to: 200 * megabyte)
    #expect(!shouldTrim(30))
    #expect(shouldTrim(40))
  }
}
