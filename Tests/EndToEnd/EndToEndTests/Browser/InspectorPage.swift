import Testing

/// The inspector, as a user sees and operates it.
struct InspectorPage {
  let browser: Browser
  let server: ReactordProcess

  /// Loads the page with a hash in its address.
  func open(_ hash: String = "") throws {
    try browser.open("\(server.url)/\(hash)")
  }

  /// Loads the page of a session, and waits until it is live.
  func open(_ session: SessionClient, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try open(address(of: session))
    try expectStatus("live", sourceLocation: sourceLocation)
  }

  /// The hash of a session's page.
  func address(of session: SessionClient) -> String {
    let parts = session.path.split(separator: "/")
    return "#/\(parts[2])/\(parts[4])"
  }

  // MARK: Contents

  /// Waits until the shown State equals JSON without white space.
  func expectState(_ json: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try browser.expect(
      "return document.querySelector('#state').innerText.replace(/\\s/g, '')",
      is: .string(json), sourceLocation: sourceLocation)
  }

  /// Waits until the connection is `connecting`, `live`, `reconnecting` or `ended`.
  func expectStatus(_ status: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try browser.expect(
      "return document.querySelector('#session').dataset.status ?? ''",
      is: .string(status), sourceLocation: sourceLocation)
  }

  /// Waits until the visible text of an element contains a text.
  func expectText(
    _ text: String, in selector: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var shown = ""
    _ = try eventually {
      let element = "document.querySelector('\(selector)')"
      shown = try browser.run("return \(element)?.innerText ?? ''").string ?? ""
      return shown.contains(text)
    }
    #expect(shown.contains(text), sourceLocation: sourceLocation)
  }

  /// Expects that the browser logged no error or warning, except those that contain a text.
  func expectNoComplaints(
    except allowed: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let complaints = try browser.complaints().filter { complaint in
      allowed.map { !complaint.contains($0) } ?? true
    }
    #expect(complaints == [], sourceLocation: sourceLocation)
  }

  // MARK: Input

  /// Clicks the button with a label.
  func press(_ label: String) throws {
    try browser.click(
      """
      return [...document.querySelectorAll('button')].find((button) =>
        button.checkVisibility() && button.innerText === arguments[0])
      """, .string(label))
  }

  /// Clicks the link whose text begins with a label.
  func follow(_ label: String) throws {
    try browser.click(
      """
      return [...document.querySelectorAll('a')].find((link) =>
        link.checkVisibility() && link.innerText.startsWith(arguments[0]))
      """, .string(label))
  }

  /// Enters an action in the form and sends it.
  func send(_ action: String) throws {
    try browser.type(action, into: "return document.querySelector('#action')")
    try press("Send")
  }
}
