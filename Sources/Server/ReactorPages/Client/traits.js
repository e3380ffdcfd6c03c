// Traits of the page: size classes, safe area and the user's preferences.

import { isEqual } from "./json.js";
import { Value } from "./streams.js";

/** The traits: each with a media query, the value if it matches, and the value otherwise. */
const choices = Object.entries({
  width: ["max-width: 599.98px", "compact", "regular"],
  height: ["max-height: 479.98px", "compact", "regular"],
  scheme: ["prefers-color-scheme: dark", "dark", "light"],
  motion: ["prefers-reduced-motion: reduce", "reduced", "full"],
  pointer: ["pointer: coarse", "coarse", "fine"],
}).map(([name, [condition, ...values]]) => ({ name, values, query: matchMedia(`(${condition})`) }));

/** The insets that `env(safe-area-inset-…)` has, in CSS pixels. */
function safeArea() {
  const probe = document.createElement("div");
  const sides = ["top", "right", "bottom", "left"];
  probe.style.position = "fixed";
  probe.style.padding = sides.map((side) => `env(safe-area-inset-${side})`).join(" ");
  document.documentElement.append(probe);
  const style = getComputedStyle(probe);
  const insets = sides.map((side) => [side, parseFloat(style[`padding-${side}`])]);
  probe.remove();
  return Object.fromEntries(insets);
}

const read = () => ({
  ...Object.fromEntries(
    choices.map(({ name, values, query }) => [name, values[query.matches ? 0 : 1]])),
  safeArea: safeArea(),
  language: navigator.language,
  textSize: parseFloat(getComputedStyle(document.documentElement).fontSize),
});

/** The traits of the page; published when one of them changes. */
export const traits = new Value(read());

function update() {
  const latest = read();
  if (!isEqual(latest, traits.value)) traits.set(latest);
}

for (const { query } of choices) query.addEventListener("change", update);
addEventListener("resize", update);
addEventListener("languagechange", update);
