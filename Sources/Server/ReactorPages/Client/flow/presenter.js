// The elements of screens in a container.

import { traits } from "/reactor.js";

/** Displays each screen with an element, which its factory returns when the screen is added. */
export class Presenter {
  #container;
  #factories;
  /** The elements by key. @type {Map<string, HTMLElement>} */
  #elements = new Map();

  constructor(container, factories) {
    this.#container = container;
    this.#factories = factories;
  }

  show(screens) {
    const keys = screens.map(({ key }) => key);
    const isSame = keys.length === this.#elements.size
      && keys.every((key) => this.#elements.has(key));
    if (isSame) return;
    const added = screens.find(({ key }) => !this.#elements.has(key));
    // @ts-ignore: not in the types of the DOM yet
    const start = document.startViewTransition?.bind(document);
    if (start && added?.animated && traits.value.motion === "full" && this.#elements.size > 0) {
      const { ready, finished } = start(() => this.#update(screens));
      // The promises reject if the browser skips the transition, but the page is updated.
      for (const end of [ready, finished]) end.catch(() => {});
    } else {
      this.#update(screens);
    }
  }

  #update(screens) {
    for (const [key, element] of this.#elements) {
      if (screens.some((screen) => screen.key === key)) continue;
      element.remove();
      this.#elements.delete(key);
    }
    for (const screen of screens) {
      if (!this.#elements.has(screen.key)) this.#add(screen);
    }
    // Hide the screens below the highest one that is not a modal.
    const base = screens.map(({ presentation }) => presentation !== "modal").lastIndexOf(true);
    screens.forEach(({ key }, index) => { this.#elements.get(key).hidden = index < base; });
  }

  #add(screen) {
    const content = this.#factories[screen.name]?.(screen) ?? document.createElement("section");
    const element = screen.presentation === "modal" ? document.createElement("dialog") : content;
    this.#elements.set(screen.key, element);
    this.#container.append(element);
    if (!(element instanceof HTMLDialogElement)) return;
    element.append(content);
    // The dialog is closed when the screen is removed: the flow can reject the dismissal.
    element.addEventListener("cancel", (event) => {
      event.preventDefault();
      screen.dismiss();
    });
    // Without a recent user activation, Escape closes the dialog in spite of `preventDefault`.
    element.addEventListener("close", () => element.isConnected && screen.dismiss());
    element.showModal();
  }

  end() {
    for (const element of this.#elements.values()) element.remove();
    this.#elements.clear();
  }
}
