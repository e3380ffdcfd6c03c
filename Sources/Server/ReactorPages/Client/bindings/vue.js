// Vue bindings of /reactor.js, served as /reactor-vue.js. They import "vue" 3.2 or later: with a bundler, or an import
// map. The types are in /reactor-vue.d.ts.

import { onScopeDispose, shallowReadonly, shallowRef } from "vue";

/** A reference to the first of some values. */
function reference(values) {
  const current = shallowRef(values[0].value);
  const read = () => { current.value = values[0].value; };
  const ends = values.map((value) => value.subscribe(read));
  onScopeDispose(() => ends.forEach((end) => end()));
  return shallowReadonly(current);
}

export const useValue = (value) => reference([value]);

/** A State that the credential may not read is removed before the connection ends, whose change shows both. */
export const useReactor = (session) => reference([session.state, session.connection]);
