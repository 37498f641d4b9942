import { isDeepStrictEqual } from 'node:util'

/**
 * Applies a patch to the resources of the previous step in `memory`. Compares the result with a first load of `full`,
 * the step compiled from scratch. Comments of elements are not compared, because kube-proxy may leave outdated ones.
 * @returns a line for each resource that differs
 */
export function patchProblems(library, patch, full, memory) {
  const { applyPatch } = library
  const after = applyPatch(memory.get('resources') ?? new Map(), patch)
  memory.set('resources', after)
  const expected = applyPatch(new Map(), library.diff(undefined, full))
  const families = new Set([...expected.keys(), ...after.keys()])
  return [...families].flatMap((family) =>
    differences(after.get(family) ?? new Map(), expected.get(family) ?? new Map()),
  )
}

function withoutComment(resource) {
  return resource && { ...resource, comment: undefined }
}

function differences(after, expected) {
  return [...new Set([...expected.keys(), ...after.keys()])]
    .filter((id) => !isDeepStrictEqual(withoutComment(after.get(id)), withoutComment(expected.get(id))))
    .map((id) => `${id} is not the same after the patch as after a first load`)
}
