// Coalesced requests of what the page shows.

/** Calls an asynchronous function, never twice at the same time and with a pause between two calls. */
export class Refresh {
  #pause;
  #load;
  #isRunning = false;
  #isStale = false;

  /**
   * @param pause In milliseconds.
   * @param load Loads and shows.
   */
  constructor(pause, load) {
    this.#pause = pause;
    this.#load = load;
  }

  /** Requests a call; all requests during a call and its pause are coalesced to one more call. */
  async request() {
    this.#isStale = true;
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      while (this.#isStale) {
        this.#isStale = false;
        await this.#load();
        await new Promise((proceed) => { setTimeout(proceed, this.#pause); });
      }
    } finally {
      this.#isRunning = false;
    }
  }

  /** Cancels a requested call that has not begun. */
  cancel() {
    this.#isStale = false;
  }
}
