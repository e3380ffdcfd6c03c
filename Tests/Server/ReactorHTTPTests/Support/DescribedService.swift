import ReactorCoding
import ReactorHost
import ReactorStreams

@testable import ReactorHTTP

/// A service with one reactor and one global, whose endpoints are described.
struct DescribedService {
  let host = Host(
    [
      ReactorRegistration(
        "number", summary: "A number", exampleActions: [NumberReactor.Action.add(1)]
      ) {
        NumberReactor(effect: .never())
      }
    ], globals: [Global<String?>("motto", nil)])
  let table: EndpointTable
  let openAPI: OpenAPIDocument

  init() {
    table = ReactorAPI(host: host, settings: Service.settings).endpoints
    openAPI = OpenAPIDocument(table, host: host, files: Service.files, version: "1.2.3")
  }
}
