import Testing

@testable import ReactorService

@Suite struct CoresTests {
  @Test(arguments: [
    ("Name:\tx\nCpus_allowed:\t1\nCpus_allowed_list:\t0\n", 1),
    ("Cpus_allowed:\t3\n", 2),
    ("Cpus_allowed:\tff,ffffffff\n", 40),
    ("Cpus_allowed:\t00000000,0000f0f0\n", 8),
  ])
  func `the cores of the mask are counted`(status: String, cores: Int) {
    #expect(Cores.allowed(inStatus: status) == cores)
  }

  @Test(arguments: ["", "Name:\tx\n", "Cpus_allowed_list:\t0-3\n", "Cpus_allowed:\t0\n"])
  func `without a mask the number is unknown`(status: String) {
    #expect(Cores.allowed(inStatus: status) == nil)
  }

  @Test func `this process has a core`() {
    #expect(Cores.available >= 1)
  }
}
