/// The files that are served as they are, by their paths: the client, and what the pages load.
enum PageFile: String, CaseIterable {
  case icon = "icon.svg"
  case style = "page.css"

  case client = "reactor.js"
  case clientTypes = "reactor.d.ts"

  case inspector = "inspector/inspector.js"
  case inspectorAccess = "inspector/access.js"
  case inspectorActions = "inspector/actions.js"
  case inspectorCatalogue = "inspector/catalogue.js"
  case inspectorCharts = "inspector/charts.js"
  case inspectorEffects = "inspector/effects.js"
  case inspectorElements = "inspector/elements.js"
  case inspectorStyle = "inspector/inspector.css"
  case inspectorTimeline = "inspector/timeline.js"
  case inspectorTree = "inspector/tree.js"

  case examples = "examples/index.html"
  case examplesScript = "examples/index.js"
  case examplesStyle = "examples/examples.css"
  case counter = "examples/counter.html"
  case counterScript = "examples/counter.js"
  case profile = "examples/profile.html"
  case profileScript = "examples/profile.js"
  case weather = "examples/weather.html"
  case weatherScript = "examples/weather.js"
  case chat = "examples/chat.html"
  case chatScript = "examples/chat.js"
  case stopwatch = "examples/stopwatch.html"
  case stopwatchScript = "examples/stopwatch.js"

  /// The folder that it is in; `nil` for those at the root.
  var folder: Substring? {
    rawValue.lastIndex(of: "/").map { rawValue[..<$0] }
  }

  /// Its name in that folder.
  var name: Substring {
    rawValue.lastIndex(of: "/").map { rawValue[rawValue.index(after: $0)...] } ?? rawValue[...]
  }

  /// Whether it is a page of its own, and not a part of one.
  var isPage: Bool { rawValue.hasSuffix(".html") }

  /// Its `Content-Type`.
  var mediaType: String {
    switch rawValue.suffix(3) {
    case "svg": "image/svg+xml"
    case "css": "text/css; charset=utf-8"
    case "tml": "text/html; charset=utf-8"
    case ".ts": "application/typescript; charset=utf-8"
    default: "text/javascript; charset=utf-8"
    }
  }

  /// Its bytes.
  var content: [UInt8] {
    switch self {
    case .icon: PackageResources.icon_svg
    case .style: PackageResources.page_css
    case .client: PackageResources.reactor_js
    case .clientTypes: PackageResources.reactor_d_ts
    case .inspector: PackageResources.inspector_js
    case .inspectorAccess: PackageResources.access_js
    case .inspectorActions: PackageResources.actions_js
    case .inspectorCatalogue: PackageResources.catalogue_js
    case .inspectorCharts: PackageResources.charts_js
    case .inspectorEffects: PackageResources.effects_js
    case .inspectorElements: PackageResources.elements_js
    case .inspectorStyle: PackageResources.inspector_css
    case .inspectorTimeline: PackageResources.timeline_js
    case .inspectorTree: PackageResources.tree_js
    case .examples: PackageResources.examples_html
    case .examplesScript: PackageResources.examples_js
    case .examplesStyle: PackageResources.examples_css
    case .counter: PackageResources.counter_html
    case .counterScript: PackageResources.counter_js
    case .profile: PackageResources.profile_html
    case .profileScript: PackageResources.profile_js
    case .weather: PackageResources.weather_html
    case .weatherScript: PackageResources.weather_js
    case .chat: PackageResources.chat_html
    case .chatScript: PackageResources.chat_js
    case .stopwatch: PackageResources.stopwatch_html
    case .stopwatchScript: PackageResources.stopwatch_js
    }
  }
}
