// Event streams: reading them, and detecting that they are dead.

import { authorizedFetch, hasContent, request, settings } from "./requests.js";
import { timeToRenewal } from "./token.js";

/** @typedef {{ name?: string, data?: string, id?: string, retry?: number, rejection?: Response }} ServerEvent */

/**
 * Reads server-sent events; yields `{}` for a comment.
 *
 * @returns {AsyncGenerator<ServerEvent>}
 */
async function* serverSentEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let event = /** @type {ServerEvent} */ ({});
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (text + value).split("\n");
    text = lines.pop();
    for (const line of lines) {
      const [, name, field] = /^([^:]*):? ?(.*?)\r?$/s.exec(line) ?? [];
      if (name === "event") event.name = field;
      else if (name === "data") event.data = event.data === undefined ? field : `${event.data}\n${field}`;
      else if (name === "id") event.id = field;
      else if (name === "retry") event.retry = Number(field);
      else if (name === "" && line.startsWith(":")) yield {};
      else if (line === "" || line === "\r") {
        yield event;
        event = {};
      }
    }
  }
}

/** Reads one event stream after another. */
export class StreamReader {
  /** The milliseconds without a byte after which a stream is considered dead: three heartbeats. */
  #patience = 45_000;
  #lastByte = Date.now();

  /** Whether the stream is dead: timers do not run while a machine sleeps. */
  get isSilent() {
    return Date.now() - this.#lastByte > this.#patience;
  }

  /**
   * Opens a stream and yields its events until it ends, is silent or `stream` aborts. Yields the response as
   * `rejection` if it is no stream. Calls `replace` if the stream has to be opened with the new token.
   *
   * @param {AbortController} stream
   * @returns {AsyncGenerator<ServerEvent>}
   */
  async *read(path, stream, replace) {
    let watchdog, renewal;
    const feedWatchdog = () => {
      this.#lastByte = Date.now();
      clearTimeout(watchdog);
      watchdog = setTimeout(() => stream.abort(), this.#patience);
    };
    try {
      feedWatchdog();
      const response = await authorizedFetch(path, {
        headers: { Accept: "text/event-stream", ...settings.headers },
        cache: "no-store",
        signal: stream.signal,
      });
      if (response.status !== 200 || !response.body || !hasContent(response, "text/event-stream")) {
        yield { rejection: response };
        return;
      }
      const id = response.headers.get("Stream-Id");
      const renew = async () => {
        const rest = await timeToRenewal();
        if (rest < 2 ** 31) renewal = setTimeout(exchange, Math.max(rest, 1_000));
      };
      // Before the token expires, another one replaces it; the stream does not end.
      const exchange = async () => {
        try {
          await request(`v1/streams/${id}/credential`, { method: "POST" });
          if (!stream.signal.aborted) await renew();
        } catch {
          // Another process has the stream, or the user has another right: open it with the new token.
          if (!stream.signal.aborted) replace();
        }
      };
      await renew();
      const heartbeat = Number(response.headers.get("Heartbeat-Interval"));
      if (heartbeat > 0) this.#patience = Math.max(heartbeat * 3, 15) * 1_000;
      for await (const event of serverSentEvents(response.body)) {
        // The time in which the caller uses an event does not count.
        clearTimeout(watchdog);
        yield event;
        feedWatchdog();
      }
    } finally {
      clearTimeout(watchdog);
      clearTimeout(renewal);
      stream.abort();
    }
  }
}
