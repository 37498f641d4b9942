/** What there is at a moment, and who wants to know when it changes. */
export interface Store<State> {
  get(): State
  /** Changes some fields, and tells everybody where one of them is another. */
  set(fields: Partial<State>): void
  /** `told` is called at every change with what there is and what there was. */
  subscribe(told: (state: State, before: State) => void): void
}

export function createStore<State extends object>(initial: State): Store<State> {
  let state = initial
  const listeners: ((state: State, before: State) => void)[] = []
  return {
    get: () => state,
    set: (fields) => {
      const before = state
      const changed = Object.entries(fields).some(([name, value]) => before[name as keyof State] !== value)
      if (!changed) return
      state = { ...before, ...fields }
      for (const listener of listeners) listener(state, before)
    },
    subscribe: (listener) => {
      listeners.push(listener)
    },
  }
}
