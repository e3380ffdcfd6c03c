// Streams of controls: events, properties and activity.

import { layout } from "./layout.js";
import { Stream } from "./streams.js";

/** The events of an element, such as `on(button, "click")`. */
export function on(element, type) {
  return new Stream((next) => {
    element.addEventListener(type, next);
    return () => element.removeEventListener(type, next);
  });
}

/** The values of an element's property, as the user changes it. */
export function property(element, name = "value", type = "input") {
  const values = new Stream((next) => {
    next(element[name]);
    return on(element, type).subscribe(() => next(element[name]));
  });
  return Object.assign(values, {
    bind(reactor, ways, failed = reportError) {
      // The number of unsent inputs. While it is not 0, the State does not overwrite the input.
      let unsent = 0;
      let shown;
      const show = layout(() => {
        if (unsent === 0 && element[name] !== shown) element[name] = shown;
      });
      const ends = [
        on(element, type).subscribe(() => { unsent += 1; }),
        on(element, type).map(() => element[name]).throttle(ways.throttle ?? 0)
          .subscribe(async (value) => {
            const sent = unsent;
            try {
              await reactor.send(ways.action(value));
            } catch (error) {
              failed(error);
            }
            if (unsent === sent) unsent = 0;
            show.setNeedsLayout();
          }),
        reactor.state.map(ways.value).subscribe((value) => {
          shown = value;
          show.setNeedsLayout();
        }),
        show.end,
      ];
      return () => ends.forEach((end) => end());
    },
  });
}

/**
 * Shows activity: `chat.activity.drive(indicator(element))`.
 *
 * The element is hidden while no effect runs. A `<progress>` shows the progress, if it is known.
 *
 * @type {typeof import("../reactor").indicator}
 */
export function indicator(element) {
  return ({ running, progress }) => {
    element.hidden = running === 0;
    if (!("position" in element)) return;
    if (progress === null) element.removeAttribute("value");
    // @ts-ignore: a `<progress>`
    else element.value = progress;
  };
}
