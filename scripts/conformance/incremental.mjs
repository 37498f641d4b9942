import { isDeepStrictEqual } from 'node:util'

/**
 * Applies a patch of one family to the resources of the step before, which `memory` holds, and compares what comes out
 * with a first load of `full`, the step compiled from nothing.
 * @returns a line for each resource that differs
 */
export function patchProblems(library, { families }, full, memory) {
  const before = memory.get('resources') ?? new Map()
  const after = families.reduce((state, { patch }) => library.apply(state, patch), before)
  memory.set('resources', after)
  const wanted = library
    .diff(undefined, full)
    .families.reduce((state, { patch }) => library.apply(state, patch), new Map())
  return [...new Set([...wanted.keys(), ...after.keys()])]
    .filter((id) => !isDeepStrictEqual(after.get(id), wanted.get(id)))
    .map((id) => `${id} is not the same after the patch as after a first load`)
}
