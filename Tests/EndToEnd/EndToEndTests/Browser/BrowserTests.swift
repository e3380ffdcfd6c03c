import Testing

/// `/reactor.js` in a browser.
@Suite(.browser)
struct ClientBrowserTests {}

/// The inspector.
@Suite(.browser)
struct InspectorBrowserTests {}

/// The examples, and accessibility and screenshots of all pages.
@Suite(.browser)
struct GalleryBrowserTests {}
