/** A state that notifies its subscribers after each change. */
export interface Store<State> {
  get(): State
  /** Changes some fields, and notifies all subscribers if a value differs. */
  set(fields: Partial<State>): void
  /** Calls the listener after each change with the new and the old state. */
  subscribe(listener: (state: State, before: State) => void): void
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
