import MicrohttpdServer
import Testing

@testable import ReactorService

struct SupervisorLinkTests {
  private static let name = SupervisorLink.variableName

  @Test func `the link is read from the variable of the parent process`() throws {
    let link = try #require(SupervisorLink([Self.name: "5,2,3,4"]))
    #expect(link.supervisor == 5)
    #expect(link.socketCount == 2)
    #expect(link.restarts == 3)
    #expect(link.lastSignal == 4)
    #expect(link.marksDescriptor == 6)
    #expect(
      link.endpoints == [
        .inherited(descriptor: 4, isRetained: false), .inherited(descriptor: 5, isRetained: false),
      ])
  }

  @Test(arguments: ["", "0,2,3,4", "5,2,3", "5,x,3,0", "5,65,0,0"])
  func `another value of the variable is ignored`(_ value: String) {
    #expect(SupervisorLink([Self.name: value]) == nil)
    #expect(SupervisorLink([:]) == nil)
  }
}
