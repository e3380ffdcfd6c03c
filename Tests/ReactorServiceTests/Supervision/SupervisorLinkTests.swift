import Glibc
import MicrohttpdServer
import Testing

@testable import ReactorService

struct SupervisorLinkTests {
  private static let name = SupervisorLink.variableName

  @Test func `the link is read from the variable of the parent process`() throws {
    let link = try #require(SupervisorLink([Self.name: "\(getppid()),2,3,4"]))
    #expect(link.socketCount == 2)
    #expect(link.restarts == 3)
    #expect(link.lastSignal == 4)
    #expect(link.marksDescriptor == 7)
    #expect(
      link.endpoints == [
        .inherited(descriptor: 5, isRetained: false), .inherited(descriptor: 6, isRetained: false),
      ])
  }

  @Test(arguments: ["", "1,2,3,4", "\(getppid()),2,3", "\(getppid()),x,3,0", "\(getppid()),65,0,0"])
  func `a variable of another process is ignored`(_ value: String) {
    #expect(SupervisorLink([Self.name: value]) == nil)
    #expect(SupervisorLink([:]) == nil)
  }
}
