import Brokers
import Foundation
import NATSClient
import Testing

/// The binary of the brokers in tests, which `NATS_SERVER` selects.
struct BrokerSelectionTests {
  @Test func `the environment selects the binary, and an empty value none`() {
    #expect(Broker.program(in: ["NATS_SERVER": "/opt/nats/nats-server"]) == "/opt/nats/nats-server")
    #expect(Broker.program(in: ["NATS_SERVER": ""]) == Broker.program(in: [:]))
    #expect(Broker.program(in: [:]).hasSuffix("nats-server"))
  }

  @Test func `a broker executes the binary at a path`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let usual = try Broker()
    let original = try FileManager.default.destinationOfSymbolicLink(
      atPath: "/proc/\(#require(usual.id))/exe")
    // Use a link, not a copy: a process that another test starts can hold the descriptor of a
    // written copy until it executes its own program.
    let path = folder.appending(path: "another-server").path
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: original)
    let broker = try Broker(program: Broker.program(in: ["NATS_SERVER": path]))
    let command = try String(
      contentsOfFile: "/proc/\(#require(broker.id))/cmdline", encoding: .utf8)
    #expect(command.split(separator: "\0").first == path[...])
    let connection = try NATSConnection(
      .init(try #require(NATSAddresses(broker.url)), name: "test"))
    #expect(connection.maximumPayload == 8_388_608)
  }

  @Test func `a binary that does not exist or is no broker fails with its name or its output`() {
    #expect { try Broker(program: "/nothing/nats-server") } throws: {
      "\($0)".contains("/nothing/nats-server did not start")
    }
    #expect { try Broker(program: "/bin/false") } throws: {
      "\($0)".contains("did not start")
    }
  }
}
