import { filesImportedBy } from './check-file.mjs'

/** Returns a message for every import cycle. `sources` has the text of every file by its path. */
export function checkCircles(sources) {
  return findCircles(sources).map((circle) => `circle of imports: ${[...circle, circle[0]].join(' -> ')}`)
}

/**
 * Returns a shortest import cycle for every file that is part of a cycle. Type imports count. A cycle is a list of its
 * files, starting with the first file in sort order. Each cycle occurs once.
 */
export function findCircles(sources) {
  const imports = new Map([...sources].map(([path, text]) => [path, filesImportedBy(path, text)]))
  const circles = new Map()
  for (const path of imports.keys()) {
    const circle = shortestCircle(path, imports)
    if (circle !== undefined) circles.set(circle.join(' '), circle)
  }
  return [...circles.keys()].sort().map((key) => circles.get(key))
}

/**
 * Finds a shortest cycle by breadth-first search; `ways` has the path to each reached file, and grows during the
 * iteration.
 */
function shortestCircle(start, imports) {
  const paths = new Map([[start, [start]]])
  for (const [path, tracePath] of paths) {
    for (const next of imports.get(path) ?? []) {
      if (next === start) return beginningWithLeast(tracePath)
      if (!paths.has(next)) paths.set(next, [...tracePath, next])
    }
  }
  return undefined
}

function beginningWithLeast(circle) {
  const first = circle.indexOf([...circle].sort()[0])
  return [...circle.slice(first), ...circle.slice(0, first)]
}
