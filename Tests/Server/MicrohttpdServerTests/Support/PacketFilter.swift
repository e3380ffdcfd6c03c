internal import Glibc

/// A classic BPF program that drops every packet of a socket before TCP sees it.
enum PacketFilter {
  /// `struct sock_filter` and `struct sock_fprog` of `linux/filter.h`.
  private struct Instruction {
    var code: UInt16 = 0x06  // BPF_RET: keep `k` bytes
    var jumps: (UInt8, UInt8) = (0, 0)
    var k: UInt32 = 0
  }

  private struct Program {
    var count: UInt16 = 1
    var instructions: UnsafeMutablePointer<Instruction>
  }

  private static let option: Int32 = 26  // SO_ATTACH_FILTER

  /// Attaches the program; returns whether the kernel accepted it.
  static func drop(on descriptor: Int32) -> Bool {
    var instruction = Instruction()
    return withUnsafeMutablePointer(to: &instruction) { instructions in
      var program = Program(instructions: instructions)
      return setsockopt(
        descriptor, SOL_SOCKET, option, &program, socklen_t(MemoryLayout<Program>.size)) == 0
    }
  }
}
