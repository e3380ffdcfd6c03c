/// A file of the pages: part of the JavaScript client, of the inspector or of the examples.
///
/// The bytes are compiled into the program, so that a daemon needs no files beside it.
package struct PageFile: Sendable {
  /// The path under which it is served, without the first slash: `inspector/tree.js`, or the empty
  /// string for the page at `/`.
  ///
  /// Addresses in files are relative, so that a proxy can publish them below any path.
  package let path: String

  /// The value of `Content-Type`.
  package let mediaType: String

  /// The contents.
  package let content: [UInt8]

  private init(_ path: String, as mediaType: MediaType, _ content: [UInt8]) {
    self.path = path
    self.mediaType = mediaType.rawValue
    self.content = content
  }

  private enum MediaType: String {
    case html = "text/html; charset=utf-8"
    case icon = "image/svg+xml"
    case script = "text/javascript; charset=utf-8"
    case style = "text/css; charset=utf-8"
    case types = "application/typescript; charset=utf-8"
  }

  /// Every file.
  package static let all = client + shared + inspector + examples

  private static let client = [
    PageFile("reactor.js", as: .script, PackageResources.reactor_js),
    PageFile("reactor.d.ts", as: .types, PackageResources.reactor_d_ts),
    PageFile("reactor-react.js", as: .script, PackageResources.reactor_react_js),
    PageFile("reactor-react.d.ts", as: .types, PackageResources.reactor_react_d_ts),
    PageFile("reactor-svelte.js", as: .script, PackageResources.reactor_svelte_js),
    PageFile("reactor-svelte.d.ts", as: .types, PackageResources.reactor_svelte_d_ts),
    PageFile("reactor-vue.js", as: .script, PackageResources.reactor_vue_js),
    PageFile("reactor-vue.d.ts", as: .types, PackageResources.reactor_vue_d_ts),
    PageFile("flow.js", as: .script, PackageResources.flow_js),
    PageFile("flow.d.ts", as: .types, PackageResources.flow_d_ts),
  ]

  private static let shared = [
    PageFile("favicon.ico", as: .icon, PackageResources.icon_svg),
    PageFile("icon.svg", as: .icon, PackageResources.icon_svg),
    PageFile("page.css", as: .style, PackageResources.page_css),
    PageFile("token.js", as: .script, PackageResources.token_js),
  ]

  private static let inspector = [
    PageFile("inspector/", as: .html, PackageResources.index_html),
    PageFile(
      "", as: .html,
      Array(
        String(decoding: PackageResources.index_html, as: UTF8.self)
          .replacing("=\"../", with: "=\"./").utf8)),
    PageFile("inspector/about.js", as: .script, PackageResources.about_js),
    PageFile("inspector/access.js", as: .script, PackageResources.access_js),
    PageFile("inspector/actions.js", as: .script, PackageResources.actions_js),
    PageFile("inspector/catalogue.js", as: .script, PackageResources.catalogue_js),
    PageFile("inspector/charts.js", as: .script, PackageResources.charts_js),
    PageFile("inspector/commands.js", as: .script, PackageResources.commands_js),
    PageFile("inspector/console.css", as: .style, PackageResources.console_css),
    PageFile("inspector/documentation.html", as: .html, PackageResources.documentation_html),
    PageFile("inspector/effects.js", as: .script, PackageResources.effects_js),
    PageFile("inspector/elements.js", as: .script, PackageResources.elements_js),
    PageFile("inspector/errors.js", as: .script, PackageResources.errors_js),
    PageFile("inspector/fields.js", as: .script, PackageResources.fields_js),
    PageFile("inspector/filter.js", as: .script, PackageResources.filter_js),
    PageFile("inspector/globals.js", as: .script, PackageResources.globals_js),
    PageFile("inspector/health.js", as: .script, PackageResources.health_js),
    PageFile("inspector/inspector.css", as: .style, PackageResources.inspector_css),
    PageFile("inspector/inspector.js", as: .script, PackageResources.inspector_js),
    PageFile("inspector/nodes.js", as: .script, PackageResources.nodes_js),
    PageFile("inspector/operations.js", as: .script, PackageResources.operations_js),
    PageFile("inspector/panels.css", as: .style, PackageResources.panels_css),
    PageFile("inspector/parameters.js", as: .script, PackageResources.parameters_js),
    PageFile("inspector/phone.css", as: .style, PackageResources.phone_css),
    PageFile("inspector/presence.js", as: .script, PackageResources.presence_js),
    PageFile("inspector/refresh.js", as: .script, PackageResources.refresh_js),
    PageFile("inspector/requests.js", as: .script, PackageResources.requests_js),
    PageFile("inspector/saved.js", as: .script, PackageResources.saved_js),
    PageFile("inspector/screens.js", as: .script, PackageResources.screens_js),
    PageFile("inspector/sessions.js", as: .script, PackageResources.sessions_js),
    PageFile("inspector/state.css", as: .style, PackageResources.state_css),
    PageFile("inspector/timeline.js", as: .script, PackageResources.timeline_js),
    PageFile("inspector/timers.js", as: .script, PackageResources.timers_js),
    PageFile("inspector/tree.js", as: .script, PackageResources.tree_js),
  ]

  private static let examples = [
    PageFile("examples/", as: .html, PackageResources.examples_html),
    PageFile("examples/index.html", as: .html, PackageResources.examples_html),
    PageFile("examples/index.js", as: .script, PackageResources.examples_js),
    PageFile("examples/sign-in.js", as: .script, PackageResources.sign_in_js),
    PageFile("examples/examples.css", as: .style, PackageResources.examples_css),
    PageFile("examples/auction.html", as: .html, PackageResources.auction_html),
    PageFile("examples/auction.js", as: .script, PackageResources.auction_js),
    PageFile("examples/counter.html", as: .html, PackageResources.counter_html),
    PageFile("examples/counter.js", as: .script, PackageResources.counter_js),
    PageFile("examples/profile.html", as: .html, PackageResources.profile_html),
    PageFile("examples/profile.js", as: .script, PackageResources.profile_js),
    PageFile("examples/weather.html", as: .html, PackageResources.weather_html),
    PageFile("examples/weather.js", as: .script, PackageResources.weather_js),
    PageFile("examples/chat.html", as: .html, PackageResources.chat_html),
    PageFile("examples/chat.js", as: .script, PackageResources.chat_js),
    PageFile("examples/sealed.html", as: .html, PackageResources.sealed_html),
    PageFile("examples/sealed.js", as: .script, PackageResources.sealed_js),
    PageFile("examples/stopwatch.html", as: .html, PackageResources.stopwatch_html),
    PageFile("examples/stopwatch.js", as: .script, PackageResources.stopwatch_js),
    PageFile("examples/order.html", as: .html, PackageResources.order_html),
    PageFile("examples/order.js", as: .script, PackageResources.order_js),
  ]
}
