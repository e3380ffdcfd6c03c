// Layout passes: many changes, one update of the page per frame.

/** After this many consecutive frames a layout that requests itself is considered a loop. */
const LOOP = 60;

/** @typedef {{ draw: () => void, isNeeded: boolean, repeats: number }} Entry */

const entries = /** @type {Set<Entry>} */ (new Set());
let frame = 0;

/** The layout whose `draw` is executing. @type {Entry | undefined} */
let current;

/**
 * Registers a function that updates a part of the page.
 *
 * All layouts for which `setNeedsLayout()` was called run once, before the next frame, in the order
 * of registration. A call from within a pass applies to the next frame.
 *
 * @type {typeof import("../reactor").layout}
 */
export function layout(draw) {
  const entry = { draw, isNeeded: false, repeats: 0 };
  entries.add(entry);
  return {
    setNeedsLayout() {
      if (current !== entry) {
        entry.repeats = 0;
      } else if (!entry.isNeeded && (entry.repeats += 1) === LOOP) {
        reportError(new Error("A layout requests itself forever"));
      }
      if (entry.repeats >= LOOP) return;
      entry.isNeeded = true;
      frame ||= requestAnimationFrame(runPass);
    },
    layoutIfNeeded() {
      if (current !== entry) run(entry);
    },
    end() {
      entries.delete(entry);
      entry.isNeeded = false;
    },
  };
}

function runPass() {
  frame = 0;
  // A layout that is requested during the pass runs in the next frame.
  for (const entry of [...entries].filter(({ isNeeded }) => isNeeded)) run(entry);
}

/** @param {Entry} entry */
function run(entry) {
  if (!entry.isNeeded) return;
  entry.isNeeded = false;
  const outer = current;
  current = entry;
  try {
    entry.draw();
  } catch (error) {
    reportError(error);
  } finally {
    current = outer;
  }
  if (!entry.isNeeded) entry.repeats = 0;
}
