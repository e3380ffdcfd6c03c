// Svelte bindings of /reactor.js, served as /reactor-svelte.js: stores, for `$store` in components. They import
// nothing. The types are in /reactor-svelte.d.ts.

/** A store of some values, of which the first one is read. */
const readable = (values) => ({
  // The contract of stores: the first call is synchronous, and none follows after the end.
  subscribe(run) {
    let isActive = true;
    let last = /** @type {any} */ ({});
    const read = () => {
      const value = values[0].value;
      if (!isActive || value === last) return;
      last = value;
      run(value);
    };
    const ends = values.map((value) => value.subscribe(read));
    read();
    return () => {
      isActive = false;
      ends.forEach((end) => end());
    };
  },
});

export const valueStore = (value) => readable([value]);

/** A State that the credential may not read is removed before the connection ends, whose change shows both. */
export const reactorStore = (session) => ({
  ...readable([session.state, session.connection]),
  send: (action, options) => session.send(action, options),
});
