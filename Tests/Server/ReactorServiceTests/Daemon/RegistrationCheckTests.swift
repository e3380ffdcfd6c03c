import ReactorCore
import ReactorHost
import Reactors
import Synchronization
import Telemetry
import TerminalClient
import Testing

@testable import ReactorService

struct RegistrationCheckTests {
  private final class Counter: Reactor {
    enum Action: Codable, Sendable { case increase }
    typealias Mutation = Action
    struct State: Codable, Equatable, Sendable { var value = 0 }
    let initialState = State()
  }

  /// A reactor whose declaration has an error.
  private final class Undeclared: Reactor, DeclarationChecked {
    enum Action: Codable, Sendable { case increase }
    typealias Mutation = Action
    struct State: Codable, Equatable, Sendable { var value = 0 }
    let initialState = State()
    let declarationProblem: String? = "it has two screens with the name \"menu\""
  }

  /// The error that starting a service with reactors of these names throws.
  private func error(names: [String]) async -> ConfigurationError? {
    await error(names.map { ReactorRegistration($0, summary: "A number") { Counter() } })
  }

  private func error(
    _ reactors: [ReactorRegistration], _ logger: Logger = .silent
  ) async -> ConfigurationError? {
    var configuration = Configuration()
    configuration.store = .memory
    configuration.listen = ListenAddress(host: "127.0.0.1", port: 0)
    // A long grace: when it expires, the service ends its process, which is that of the tests.
    configuration.shutdownGrace = .seconds(3_600)
    let context = ServiceContext(
      configuration: configuration, logger: logger, termination: Termination())
    // A service that starts despite the error stops immediately.
    context.termination.request()
    do {
      try await context.serve(reactors)
      return nil
    } catch {
      return error as? ConfigurationError
    }
  }

  @Test func `an error in the declaration of a reactor prevents the start, in one line`() async {
    let error = await error([
      ReactorRegistration("counter", summary: "A number") { Counter() },
      ReactorRegistration("odd", summary: "A flow") { Undeclared() },
    ])
    #expect(
      error?.message
        == "the reactor \"odd\" cannot be hosted: it has two screens with the name \"menu\"")
    #expect(error?.exitCode == 78)
  }

  /// A reactor with a type that no placeholder value fits.
  private final class Undescribed: Reactor {
    struct Even: Codable, Sendable {
      init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard text.hasPrefix("even-") else {
          throw DecodingError.dataCorrupted(
            .init(codingPath: decoder.codingPath, debugDescription: "no even number"))
        }
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode("even-2")
      }
    }

    enum Action: Codable, Sendable { case put(Even), increase }
    typealias Mutation = Never
    struct State: Codable, Sendable {
      var value = 0
      var even: Even?
    }
    let initialState = State()
  }

  @Test func `types without a schema are logged in one line per reactor`() async {
    let lines = Mutex<[[String: String]]>([])
    let logger = Logger(level: .warning) { _, message, fields in
      guard message == "schemas do not describe some types of a reactor" else { return }
      lines.withLock { $0.append(Dictionary(fields) { $1 }) }
    }
    let error = await error(
      [
        ReactorRegistration("even", summary: "Even numbers") { Undescribed() },
        ReactorRegistration("counter", summary: "A number") { Counter() },
      ] + Catalogue().reactors.filter { $0.name != "counter" }, logger)
    #expect(error == nil)
    let name = String(reflecting: Undescribed.Even.self)
    #expect(lines.withLock { $0 } == [["reactor": "even", "types": name]])
  }

  @Test func `a rule of log.retain for a reactor that is not hosted is logged`() {
    let lines = Mutex<[String]>([])
    let logger = Logger(level: .warning) { _, message, fields in
      lines.withLock { $0.append("\(message) \(fields.map { $1 })") }
    }
    RegistrationCheck.logUnknownReactors(
      in: RetentionRules(.all, byReactor: ["cuonter": .all, "counter": .all, "x": .all]),
      among: ["counter", "room"], logger)
    let text = "log.retain names a reactor that is not hosted"
    #expect(
      lines.withLock { $0 }
        == ["\(text); did you mean counter? [\"cuonter\"]", "\(text) [\"x\"]"])
  }

  @Test func `two reactors with the same name are rejected`() async {
    let error = await error(names: ["counter", "other", "counter"])
    #expect(error?.message == "the reactor \"counter\" is registered twice")
    #expect(error?.exitCode == 78)
  }

  @Test(arguments: ["", "My Todo/ü", "a b", "..", String(repeating: "a", count: 129)])
  func `a name that is invalid in a path is an error`(_ name: String) async {
    let error = await error(names: [name])
    #expect(error?.message.contains("has an invalid name") == true)
    #expect(error?.exitCode == 78)
  }

  @Test func `valid names are served`() async {
    #expect(await error(names: ["counter", "my-Todo_1.2~"]) == nil)
  }
}
