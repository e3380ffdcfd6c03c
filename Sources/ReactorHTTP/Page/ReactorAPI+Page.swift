internal import ReactorHost

extension ReactorAPI {
  /// A page may load and call nothing but this service, and only its own pages may frame it.
  private static let pageHeaders: HTTPFields = [
    "Content-Security-Policy":
      """
    default-src 'none'; connect-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; \
    frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'
    """,
    "Referrer-Policy": "no-referrer",
  ]

  func page(_ request: HTTPRequest) throws(Problem) -> HTTPResponse {
    try negotiate(request, "text/html")
    return Answer.html(PackageResources.index_html, headers: Self.pageHeaders)
  }

  func pageFile(_ file: PageFile, _ request: HTTPRequest) throws(Problem) -> HTTPResponse {
    // A parameter such as the charset excludes nobody.
    try negotiate(request, String(file.mediaType.prefix { $0 != ";" }))
    return HTTPResponse(
      status: 200,
      headers: ["Content-Type": file.mediaType, "Cache-Control": "no-cache"]
        + (file.isPage ? Self.pageHeaders : [:]),
      body: .bytes(file.content))
  }

  func problemPage(_ kind: String, _ request: HTTPRequest) throws(Problem) -> HTTPResponse {
    guard let kind = ProblemKind(rawValue: kind) else {
      throw Problem(.notFound, "There is no such problem.")
    }
    try negotiate(request, "text/html")
    let page = """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(kind.title)</title>
      <link rel="stylesheet" href="/page.css">
      <main>
      <h1>\(kind.title)</h1>
      <p><code>/problems/\(kind.rawValue)</code> · status \(kind.status)</p>
      <p>\(kind.explanation)</p>
      </main>
      </html>

      """
    return Answer.html(Array(page.utf8), headers: Self.pageHeaders)
  }
}
