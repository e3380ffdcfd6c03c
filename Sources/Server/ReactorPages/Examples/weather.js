import { indicator, property, reactor } from "../reactor.js";
import "./sign-in.js";

const part = (id) => document.getElementById(id);
const session = new URLSearchParams(location.search).get("session") ?? "demo";
const weather = reactor("weather", session);

// A binding in both directions: the user's input starts a search, at most every 300 ms, and the searches
// of other pages are shown here. In the reactor, a new search cancels the previous one.
property(part("query")).bind(weather, {
  value: ({ query }) => query,
  action: (query) => ({ search: query }),
  throttle: 300,
});

// State
const found = weather.state.map((state) => state.weather).distinct();
const known = (found, text, otherwise) => (found.cityName === "Empty" ? otherwise : text);
found.map((found) => known(found, found.cityName, "No city"))
  .drive(part("city"), "textContent");
found.map((found) => known(found, `${found.temperature}°`, "–"))
  .drive(part("temperature"), "textContent");
found.map((found) => known(found, `${found.humidity} % humidity`, ""))
  .drive(part("humidity"), "textContent");
weather.state.map(({ isSearching }) => isSearching)
  .drive((isSearching) => part("weather").classList.toggle("old", isSearching));
weather.activity.drive(indicator(part("activity")));
weather.connection.drive(part("connection"), "textContent");
