// The browser's history: one entry per screen above the first.

/** The member of `history.state` that has the keys of the screens and the path. */
const NAME = "reactorFlow";

const isSame = (one, other) => one.length === other.length && isPrefix(one, other);
const isPrefix = (start, all) => start.every((key, index) => key === all[index]);

/** Synchronises the browser's history with the displayed screens, and reports the user's navigation. */
export class History {
  #url;
  #user;
  #keys = /** @type {string[]} */ ([]);
  /** The path of each screen when it was on top, by key. */
  #paths = new Map();
  #isSynchronizing = false;
  /** Called at the next `popstate`, if this object has caused it. @type {() => void | undefined} */
  #moved;
  /** The number of paths that the user has requested and that are being opened. */
  #opening = 0;
  #abort = new AbortController();

  constructor(url, user) {
    this.#url = url;
    this.#user = user;
    if (url === "none") return;
    addEventListener("popstate", () => this.#didMove(), { signal: this.#abort.signal });
  }

  end() {
    this.#abort.abort();
  }

  /** The path in the page's address, unless this object created the history entry. */
  requested() {
    return this.#url === "none" || this.#entry ? undefined : this.#address;
  }

  /** The screens that the current history entry displays. */
  get #entry() {
    return history.state?.[NAME];
  }

  get #address() {
    return this.#url === "path" ? location.pathname.slice(this.#prefix.length) : location.hash.slice(1);
  }

  /** The path below which a proxy publishes the service, without a slash at the end. */
  get #prefix() {
    const folder = new URL(".", import.meta.url).pathname;
    return location.pathname.startsWith(folder) ? folder.slice(0, -1) : "";
  }

  /** Shows screens; `path` is `undefined` if it is unknown. */
  show(keys, path) {
    this.#keys = keys;
    if (path !== undefined) this.#paths.set(keys.at(-1), path);
    if (this.#url !== "none") this.#synchronize();
  }

  async #synchronize() {
    if (this.#isSynchronizing || this.#opening) return;
    this.#isSynchronizing = true;
    while (!this.#abort.signal.aborted && await this.#step());
    this.#isSynchronizing = false;
  }

  /** Moves one step towards the displayed screens. Returns whether another step can be necessary. */
  async #step() {
    const keys = this.#keys;
    const at = this.#entry?.keys;
    if (!at) this.#write("replaceState", keys.slice(0, 1));
    else if (isSame(at, keys)) {
      if (this.#entry.path !== this.#paths.get(keys.at(-1))) this.#write("replaceState", keys);
      return false;
    } else if (isPrefix(at, keys)) this.#write("pushState", keys.slice(0, at.length + 1));
    else if (at.length > 1) {
      const common = at.findIndex((key, index) => key !== keys[index]);
      await this.#go(Math.max(common, 1) - at.length);
    } else this.#write("replaceState", keys.slice(0, 1));
    return true;
  }

  #write(method, keys) {
    const path = this.#paths.get(keys.at(-1)) ?? (keys.length === 1 ? "/" : undefined);
    const address = path && (this.#url === "path" ? this.#prefix + path : `#${path}`);
    history[method]({ ...history.state, [NAME]: { keys, path } }, "", address);
  }

  /** Moves in the history. If the browser does not move within 2 s, replaces the current entry. */
  #go(distance) {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#write("replaceState", this.#keys);
        end();
      }, 2_000);
      const end = () => {
        clearTimeout(timer);
        this.#moved = undefined;
        resolve(undefined);
      };
      this.#moved = end;
      history.go(distance);
    });
  }

  #didMove() {
    if (this.#moved) return this.#moved();
    const at = this.#entry?.keys;
    if (at && isPrefix(at, this.#keys)) {
      // Back: dismissing the lowest screen that was left also dismisses those above it.
      const left = this.#keys[at.length];
      if (left !== undefined) this.#user.dismiss(left);
    } else {
      // Forward to a screen that is not presented, or an address that the user has entered.
      this.#open(at ? this.#entry.path : this.#address);
    }
  }

  async #open(path) {
    this.#opening += 1;
    try {
      if (path) await this.#user.open(path);
    } finally {
      this.#opening -= 1;
      this.#synchronize();
    }
  }
}
