internal import Identity

/// The endpoints of one path template.
final class Resource: Sendable {
  /// The position in the table, for metrics.
  let index: Int
  let template: String
  /// The names of the parameters, in the order of the path.
  let parameters: [String]
  /// The position of the parameter `reactor`, or `nil` if the template does not have it.
  let reactorPosition: Int?
  /// The position of the parameter `session`, or `nil` if the template does not have it.
  let sessionPosition: Int?
  let endpoints: [Endpoint]
  /// The value of `Allow`.
  let allow: String
  let isProbe: Bool
  /// Whether the resource is an event stream.
  let isStream: Bool
  /// Whether its responses depend on `Accept`.
  let isNegotiated: Bool
  /// The target that a right must be granted for, the same for all methods.
  let reach: AccessReach
  private let condition: (@Sendable (PathParameters) -> Bool)?
  private let byMethod: [Endpoint?]

  init(_ index: Int, _ endpoints: [Endpoint]) {
    self.index = index
    self.endpoints = endpoints
    template = endpoints[0].template
    isProbe = endpoints[0].traits.contains(.probe)
    isStream = endpoints[0].traits.contains(.stream)
    isNegotiated = endpoints[0].traits.contains(.negotiated)
    reach = endpoints[0].reach
    condition = endpoints[0].condition
    parameters = PathTemplate.parts(of: template).compactMap(\.parameter)
    reactorPosition = parameters.firstIndex(of: "reactor")
    sessionPosition = parameters.firstIndex(of: "session")
    var byMethod = [Endpoint?](repeating: nil, count: HTTPMethod.allCases.count)
    for endpoint in endpoints {
      precondition(
        byMethod[endpoint.method.rawValue] == nil,
        "two endpoints for \(endpoint.method.name) \(template)")
      byMethod[endpoint.method.rawValue] = endpoint
    }
    byMethod[HTTPMethod.head.rawValue] = byMethod[HTTPMethod.get.rawValue]
    self.byMethod = byMethod
    let order: [HTTPMethod] = [.get, .head, .post, .put, .delete]
    let methods = order.filter { byMethod[$0.rawValue] != nil }
    allow = (methods + [.options]).map(\.name).joined(separator: ", ")
  }

  /// The endpoint for a method, or `nil` if the resource does not have it.
  subscript(method: HTTPMethod) -> Endpoint? { byMethod[method.rawValue] }

  /// Whether the resource exists for the given parameters; if not, the path is unknown.
  func exists(_ parameters: PathParameters) -> Bool {
    condition.map { $0(parameters) } ?? true
  }

  /// Returns the value of a parameter of the path template, or `nil` if it does not have the
  /// parameter.
  func value(of parameter: String, in parameters: PathParameters) -> String? {
    self.parameters.firstIndex(of: parameter).map { parameters[$0] }
  }

  /// Returns the right that a request needs, also for a method that is not allowed.
  ///
  /// So the response to a request without the right does not depend on the method.
  func right(for method: HTTPMethod) -> Right? {
    if let endpoint = self[method] { return endpoint.right }
    guard endpoints[0].right != nil else { return nil }
    return method.isSafe ? .read : .manage
  }
}

/// A path template, split into its parts.
enum PathTemplate {
  enum Part: Equatable {
    case literal(String)
    case parameter(String)

    var parameter: String? {
      if case .parameter(let name) = self { name } else { nil }
    }
  }

  static func parts(of template: String) -> [Part] {
    precondition(template.utf8.first == UInt8(ascii: "/"), "a template begins with a slash")
    return template.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
      $0.hasPrefix("{") ? .parameter(String($0.dropFirst().dropLast())) : .literal(String($0))
    }
  }
}

/// The values of a path's parameters, decoded and in ASCII.
struct PathParameters: Sendable {
  /// The maximum number of parameters of a template.
  static let limit = 3

  // Properties instead of an inline array, which would be copied through its type metadata.
  private var first = ""
  private var second = ""
  private var third = ""
  private(set) var count = 0

  subscript(index: Int) -> String { index == 0 ? first : index == 1 ? second : third }

  mutating func append(_ value: String) {
    switch count {
    case 0: first = value
    case 1: second = value
    default: third = value
    }
    count += 1
  }
}
