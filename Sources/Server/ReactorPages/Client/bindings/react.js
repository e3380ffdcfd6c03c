// React bindings of /reactor.js, served as /reactor-react.js. They import "react" 18 or later: with a bundler, or an
// import map. The types are in /reactor-react.d.ts.

import { useMemo, useSyncExternalStore } from "react";

/** The functions that `useSyncExternalStore` needs, for some values of which the first one is read. */
function store(values) {
  let known;
  return {
    subscribe(changed) {
      const ends = values.map((value) => value.subscribe(changed));
      return () => ends.forEach((end) => end());
    },
    // The same result for the same value and function, which `useSyncExternalStore` requires.
    read(select) {
      const value = values[0].value;
      if (!known || known.value !== value || known.select !== select) {
        known = { value, select, result: value === undefined || !select ? value : select(value) };
      }
      return known.result;
    },
  };
}

const absent = () => undefined;

function useStore(make, dependency, select) {
  const { subscribe, read } = useMemo(() => store(make(dependency)), [dependency]);
  return useSyncExternalStore(subscribe, () => read(select), absent);
}

const single = (value) => [value];
/** A State that the credential may not read is removed before the connection ends, whose change shows both. */
const parts = (session) => [session.state, session.connection];

export const useValue = (value, select) => useStore(single, value, select);

export const useReactor = (session, select) => useStore(parts, session, select);
